import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { NARROW, shot } from '../support/browser.js'
import { Page } from '../support/page.js'
import { story } from '../support/story.js'
import { eventually, stays } from '../support/wait.js'

story('4 the answer grows: what is said first stands there while the tool still runs', { repos: ['shop'] }, async ({ world, page }) => {
  world.pipe('shop', 'stock')
  const console = new Page(page)
  await console.open('shop')
  await console.ask('SAY{First I look.} RUN{cat stock} how many?')
  const tool = console.conversation.locator('details').filter({ hasText: 'cat stock' })
  await tool.getByText('running').waitFor()
  await console.said('Agent', 'First I look.').waitFor()
  // An input method's own Esc interrupts nothing.
  await console.composer.focus()
  await console.composer.evaluate((area) => area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true })))
  await stays('the turn goes on', 1_000, async () => (await world.ok('status', 'shop')).state === 'working')
  writeFileSync(`${world.repo('shop')}/stock`, '42 of them\n')
  await console.answer('Reply 1 to')
  assert.equal(await console.said('Agent', '').count(), 2)
})

story('4 two holds that say the same, and an address that is no text, break nothing', { repos: ['shop'] }, async ({ world, page }) => {
  const console = new Page(page)
  await console.open('shop')
  await page.goto(`${world.origin}/#/repo/%`)
  await console.row('shop').waitFor()
  await page.getByText('Nothing waits for you.').waitFor()
  // As the server could tell them.
  await page.route('**/api/events', async (route) => {
    const { repos, totals } = await (await route.fetch({ url: `${world.origin}/api/repos` })).json()
    const detail = '`npm run dev`, which it left running'
    const hold = { kind: 'process', since: new Date().toISOString(), detail, subject: 'npm run dev', waits_for: null, work: true }
    const told = { seq: 0, totals, repos: repos.map((repo) => ({ ...repo, state: 'ready', live: true, holds: [hold, hold] })) }
    await route.fulfill({ contentType: 'text/event-stream', body: `event: snapshot\ndata: ${JSON.stringify(told)}\n\n` })
  })
  await page.reload()
  await console.open('shop')
  await eventually('both', async () => (await console.conversation.getByText(/^Running in the background: npm run dev, which it left running, for /).count()) === 2)
  await console.more('Why is it awake?')
  const why = console.dialog('Why is shop awake?')
  await eventually('both', async () => (await why.getByRole('listitem').count()) === 2)
  await page.unrouteAll({ behavior: 'wait' })
})

story('4 a picture goes in where the caret is, also when another repo is looked at meanwhile', { repos: ['shop', 'site'] }, async ({ page }) => {
  const console = new Page(page)
  await console.open('shop')
  await console.composer.fill('see and say')
  await console.composer.evaluate((area) => area.setSelectionRange(3, 3))
  let go = () => undefined
  const gate = new Promise((done) => (go = done))
  await page.route('**/images', async (route) => {
    await gate
    await route.continue()
  })
  await console.composer.evaluate(async (area) => {
    const data = new DataTransfer()
    data.items.add(new File([await new OffscreenCanvas(4, 4).getContext('2d').canvas.convertToBlob()], 'shot.png', { type: 'image/png' }))
    area.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  })
  await page.getByText('Saving the image…').waitFor()
  await console.open('site')
  assert.equal(await console.composer.inputValue(), '')
  await console.open('shop')
  await page.getByText('Saving the image…').waitFor()
  await console.composer.focus()
  await console.composer.evaluate((area) => area.setSelectionRange(3, 3))
  go()
  await eventually('what stands for it', async () => (await console.composer.inputValue()) === 'see [image\u00a01] and say')
  // It is seen, here and in another tab, and can be taken out; what is asked has its path.
  const images = page.getByRole('list', { name: 'Images' })
  const drawn = (image) => eventually('the picture to be drawn', () => image.evaluate((one) => one.complete && one.naturalWidth === 4))
  await drawn(images.locator('img'))
  await page.reload()
  await drawn(images.locator('img'))
  assert.equal(await console.composer.inputValue(), 'see [image\u00a01] and say')
  await console.composer.press('Enter')
  const asked = console.said('You', 'see')
  await drawn(asked.locator('img'))
  assert.equal(await asked.getByText('.png').count(), 0)
  const path = await asked.getByRole('link').getAttribute('title')
  await console.answer(path)
  await console.composer.fill(`again ${path} so`)
  await page.reload()
  await page.getByRole('button', { name: 'Take out image 1' }).click()
  assert.equal(await console.composer.inputValue(), 'again so')
  await images.waitFor({ state: 'detached' })
  await console.composer.fill('')
})

story('4 a draft is the same in two tabs, and what is sent in one is gone in the other', { repos: ['shop'] }, async ({ person, page }) => {
  const console = new Page(page)
  await console.open('shop')
  const second = await person.tab(page.url())
  const other = new Page(second)
  await other.composer.waitFor()
  await console.composer.fill('from the first')
  await eventually('the other tab to have it', async () => (await other.composer.inputValue()) === 'from the first')
  // It has the focus and is not typed in: it follows all the same, and goes on from there.
  await other.composer.focus()
  await console.composer.fill('One. ')
  await eventually('the other tab to go along', async () => (await other.composer.inputValue()) === 'One. ')
  await other.composer.press('End')
  await other.composer.pressSequentially('Two.')
  await console.composer.blur()
  await eventually('neither to be lost', async () => (await console.composer.inputValue()) === 'One. Two.')
  await other.composer.fill('MD{Sent.}')
  await eventually('the first tab to have it', async () => (await console.composer.inputValue()) === 'MD{Sent.}')
  await other.composer.press('Enter')
  await other.answer('Sent.')
  await eventually('nothing to be left', async () => (await console.composer.inputValue()) === '')
})

story('4 what is sent is gone from a composer, too, that was opened while it was on its way', { repos: ['shop', 'site'] }, async ({ page }) => {
  const console = new Page(page)
  let go = () => undefined
  const gate = new Promise((done) => (go = done))
  await page.route('**/ask', async (route) => {
    await gate
    await route.continue()
  })
  await console.open('shop')
  await console.ask('MD{On its way.}')
  await console.open('site')
  await console.open('shop')
  await eventually('the draft to be there', async () => (await console.composer.inputValue()) === 'MD{On its way.}')
  go()
  await eventually('it to be sent, and gone', async () => (await console.composer.inputValue()) === '')
  await console.answer('On its way.')
  await page.reload()
  await console.answer('On its way.')
  assert.equal(await console.composer.inputValue(), '')
  await page.unrouteAll({ behavior: 'wait' })
})

story('4 in a narrow window what is told in passing covers no answer', { repos: ['shop'], browser: { permissions: ['clipboard-read', 'clipboard-write'] } }, async ({ page }) => {
  const console = new Page(page)
  await page.setViewportSize(NARROW)
  await console.open('shop')
  await console.ask(`MD{${Array.from({ length: 40 }, (_, at) => `Paragraph ${at}.`).join('\n\n')}}`)
  await console.answer('Paragraph 39.')
  await console.state('shop', 'ready')
  await console.composer.blur()
  await console.more('Copy path')
  const toast = page.locator('.toast').last()
  await toast.waitFor()
  await toast.hover()
  const last = console.conversation.getByText('Paragraph 39.', { exact: true })
  await eventually('the end to be above it', async () => {
    const [above, below] = [await last.boundingBox(), await toast.boundingBox()]
    return above.y + above.height <= below.y
  })
  await shot(page, 'toast-over-answer')
  // Over a terminal it is at the top, and no higher than its words.
  await page.getByRole('radio', { name: 'Terminal' }).click()
  await eventually('the toast at the top', async () => {
    const { y, height } = await toast.boundingBox()
    return y < NARROW.height / 2 && height < 120
  })
})
