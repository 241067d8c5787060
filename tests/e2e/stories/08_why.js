import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { Page } from '../support/page.js'
import { story } from '../support/story.js'

story('8 why it is still awake: the holds with since-when, and when it will be let go', { repos: ['shop'], settings: 'idle_after = "2h"\n' }, async ({ world, page }) => {
  world.pipe('shop', 'stock')
  const console = new Page(page)
  await console.open('shop')
  await console.ask('BG{cat stock}')
  await console.answer('Reply 1')
  await world.wait('shop', 'a background task', (status) => status.holds.some((hold) => hold.kind === 'background'))
  await console.more('Why is it awake?')
  const why = console.dialog('Why is shop awake?')
  await why.getByText('background').first().waitFor()
  await why.getByText(/^for \d+ s$/).first().waitFor()
  await why.getByText('It is let go once all of this is over and nobody has used it for 2 h.').waitFor()
  await why.getByRole('button', { name: 'Close' }).click()

  writeFileSync(`${world.repo('shop')}/stock`, 'done\n')
  await world.wait('shop', 'its task to be over', (status) => status.state === 'ready' && !status.holds.some((hold) => hold.kind === 'background'))
  // The numbers in the header are the way there too. Whoever clicks there uses it, until they look elsewhere.
  await page.getByTitle('Why is it awake?').click()
  await why.getByText('somebody who is using it').waitFor()
  await seen(page, 'hidden')
  await why.getByText(/^Nothing keeps it\. It will be let go in ([12] h|\d+ min), and its conversation stays\.$/).waitFor()
  await seen(page, 'visible')
  await page.keyboard.press('Escape')
  await why.waitFor({ state: 'detached' })
  await console.more('Pin: keep it awake')
  await console.more('Why is it awake?')
  await why.getByText('It is pinned: it stays awake until you unpin it.').waitFor()
  assert.equal(await why.getByRole('listitem').filter({ hasText: 'your pin' }).count(), 1)
})

/** The page is in front, or is not: a headless browser knows no other tab. */
function seen(page, state) {
  return page.evaluate((state) => {
    Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)
}
