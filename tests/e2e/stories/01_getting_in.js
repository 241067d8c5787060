import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { Page } from '../support/page.js'
import { story } from '../support/story.js'

story('1 `repose console` opens the browser by a link that works once', { repos: ['shop'], login: false }, async ({ world, person, browser, page }) => {
  await page.goto(world.origin)
  await page.getByRole('heading', { name: 'This browser isn’t logged in' }).waitFor()
  await page.getByText('repose console', { exact: true }).waitFor()

  // What the desktop's opener is given is what the person's browser opens.
  world.script('xdg-open', `printf %s "$1" > '${world.path('opened')}'`)
  await world.ok('console')
  const link = await world.written('opened')
  assert.ok(link.startsWith(`${world.origin}/login?code=`), link)

  await page.goto(link)
  const console = new Page(page)
  await console.row('shop').waitFor()
  assert.equal(new URL(page.url()).search, '', 'the link stays nowhere')

  const other = await browser.person()
  const stranger = await other.tab(link)
  await stranger.getByRole('heading', { name: 'This link was used already' }).waitFor()
  await stranger.goto(`${world.origin}/login?code=made-up`)
  await stranger.getByRole('heading', { name: 'This Repose doesn’t know that link' }).waitFor()
  assert.deepEqual(other.troubles, [])
  await other.context.close()
  const again = await person.tab(link)
  await again.getByText('This link was used already. You were logged in before.').waitFor()
  await new Page(again).row('shop').waitFor()

  await page.reload()
  await console.row('shop').waitFor()
  const second = await person.tab(world.origin)
  await new Page(second).row('shop').waitFor()
})

story('1 a locked page goes on by itself once the browser is in', { repos: ['shop'], login: false }, async ({ world, person, page }) => {
  await page.goto(`${world.origin}/#/settings`)
  await page.getByRole('heading', { name: 'This browser isn’t logged in' }).waitFor()
  const other = await person.tab(await world.link())
  await new Page(other).row('shop').waitFor()
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
})

story('1 after a restart of the runner the same page goes on: same port, same login', { repos: ['shop'] }, async ({ world, page }) => {
  const console = new Page(page)
  await console.open('shop')
  await console.composer.fill('half a thought')
  const { origin } = world
  await world.stopServe()
  await page.getByText("Repose doesn't answer.", { exact: true }).waitFor()
  await world.serve()
  assert.equal(world.origin, origin)
  await page.getByText("Repose doesn't answer.", { exact: true }).waitFor({ state: 'detached' })
  assert.equal(await console.composer.inputValue(), 'half a thought')
  await page.reload()
  await console.row('shop').waitFor()
  assert.equal(await console.composer.inputValue(), 'half a thought')
})

story('1 an image that is pasted becomes a file that the agent can read', { repos: ['shop'] }, async ({ page }) => {
  const console = new Page(page)
  await console.open('shop')
  await console.composer.fill('What is on')
  await console.composer.evaluate(async (area) => {
    const canvas = new OffscreenCanvas(40, 30)
    canvas.getContext('2d').fillRect(5, 5, 20, 10)
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File([await canvas.convertToBlob()], 'shot.png', { type: 'image/png' }))
    area.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })
  await page.getByRole('list', { name: 'Images' }).locator('img').waitFor()
  await console.composer.press('Enter')
  await console.answer('Reply 1')
  const path = await console.said('You', 'What is on').getByRole('link').getAttribute('title')
  assert.deepEqual([...readFileSync(path).subarray(1, 4)], [...Buffer.from('PNG')])
  assert.equal(statSync(path).mode & 0o777, 0o600)
  await console.answer(path)
})
