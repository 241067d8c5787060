import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { Browser, shot } from '../support/browser.js'
import { Page } from '../support/page.js'
import { story } from '../support/story.js'
import { grow } from '../support/transcript.js'
import { eventually, stays } from '../support/wait.js'

const WORDS = `MD{## Where the tax is

The **rounding** is in \`tax.py\`:

\`\`\`python
def tax(net):
    return round(net * 0.19, 2)
\`\`\`

| rate | for |
| --- | --- |
| 19 % | most |

- [x] read it
- [ ] change it
}`

story('5 the answer is Markdown, its code is coloured and can be copied, links open elsewhere', { repos: ['shop'], browser: { permissions: ['clipboard-read', 'clipboard-write'] } }, async ({ page }) => {
  const console = new Page(page)
  await console.open('shop')
  await console.ask(WORDS)
  await console.conversation.getByRole('heading', { name: 'Where the tax is' }).waitFor()
  const code = console.conversation.locator('article[aria-label=Agent] pre')
  await code.locator('.hljs-keyword').first().waitFor()
  const [plain, keyword] = await code.evaluate((pre) => [getComputedStyle(pre).color, getComputedStyle(pre.querySelector('.hljs-keyword')).color])
  assert.notEqual(plain, keyword)
  await console.conversation.getByRole('cell', { name: '19 %' }).waitFor()
  await code.hover()
  await code.getByRole('button', { name: 'Copy' }).click()
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'def tax(net):\n    return round(net * 0.19, 2)')
  const mine = console.said('You', 'Where the tax is')
  await mine.hover()
  await mine.getByRole('button', { name: 'Copy' }).click()
  assert.equal((await page.evaluate(() => navigator.clipboard.readText())).trim(), WORDS)
})

story('5 what is opened at the end of the conversation stays where it was pressed, and is seen', { repos: ['shop'] }, async ({ world, page }) => {
  const console = new Page(page)
  const tool = (text) => console.conversation.locator('details').filter({ hasText: text })
  const top = async (text) => (await tool(text).locator('summary').boundingBox()).y
  const left = () => console.conversation.evaluate((region) => region.scrollHeight - region.scrollTop - region.clientHeight)
  writeFileSync(`${world.repo('shop')}/stock`, Array.from({ length: 200 }, (_, at) => `${at} of them`).join('\n'))
  await console.open('shop')
  await console.ask('RUN{cat stock; true first}')
  await console.answer('Reply 1')
  await console.ask('MD{In between.}')
  await console.answer('In between.')
  await console.ask('SAY{Before it.} RUN{cat stock; true last}')
  await console.answer('Reply 3')
  await eventually('the end', async () => (await left()) < 2)

  const before = await top('true first')
  await tool('true first').locator('summary').click()
  await tool('true first').getByText('0 of them').first().waitFor()
  await stays('in its place', 500, async () => Math.abs((await top('true first')) - before) < 1)
  await tool('true first').locator('summary').click()
  await tool('true first').getByText('0 of them').first().waitFor({ state: 'hidden' })
  await eventually('the end again', async () => (await left()) < 2)

  await page.setViewportSize({ width: 1280, height: 560 })
  await eventually('the end', async () => (await left()) < 2)
  await tool('true last').locator('summary').click()
  const result = tool('true last').locator('.result')
  const seen = async () => {
    const [view, head, text] = [await console.conversation.boundingBox(), await tool('true last').locator('summary').boundingBox(), await result.boundingBox()]
    return head.y >= view.y - 1 && text.y + 40 < view.y + view.height
  }
  await eventually('its head and what it says to be in view', seen)
  await stays('in view', 500, seen)
  await shot(page, 'fold-at-the-end')
})

story('5 with a scrollbar beside it the conversation stands above the composer', { repos: ['shop'] }, async ({ world }) => {
  await world.ok('ask', 'shop', 'LONG{2000} of them')
  const browser = await Browser.open({ bars: true })
  try {
    const page = await (await browser.person()).tab(await world.link())
    await new Page(page).open('shop')
    await new Page(page).said('Agent', '').last().waitFor()
    const bar = await page.locator('.scroller').evaluate((box) => box.offsetWidth - box.clientWidth)
    assert.ok(bar > 0, 'there is a scrollbar')
    const [above, below] = [await page.locator('.scroller > .column').boundingBox(), await page.locator('.composer').boundingBox()]
    assert.deepEqual([above.x, above.width], [below.x, below.width])
  } finally {
    await browser.close()
  }
})

story('5 tool calls are folded with their results; errors, interruptions and opens stand in their places', { repos: ['shop'] }, async ({ world, page }) => {
  writeFileSync(`${world.repo('shop')}/stock`, '42 of them\n')
  const console = new Page(page)
  await console.open('shop')
  await console.ask('RUN{cat stock; cat missing}')
  await console.answer('Reply 1')
  const tool = console.conversation.locator('details').filter({ hasText: 'cat stock' })
  await tool.getByText('failed').waitFor()
  assert.equal(await tool.getByText('42 of them').isVisible(), false, 'folded')
  await tool.locator('summary').first().click()
  await tool.getByText('42 of them').waitFor()

  await console.ask('FAIL{400}')
  await console.conversation.getByText('The model answered with an error').waitFor()
  await world.ok('fresh', 'shop')
  await console.ask('HOLD{never} wait')
  await console.state('shop', 'working')
  await console.said('You', 'HOLD{never} wait').waitFor()
  await page.keyboard.press('Escape')
  await console.conversation.getByRole('note').filter({ hasText: 'Interrupted' }).waitFor()
  // It is idle at once. That no answer comes any more is clear a moment later.
  await world.wait('shop', 'to be held by nothing', ({ state, holds }) => state === 'ready' && !holds.some(({ kind }) => kind === 'ask' || kind === 'turn'))
  await world.ok('pause', 'shop')
  await world.ok('resume', 'shop')
  await console.ask('MD{Back again.}')
  await console.answer('Back again.')

  const marks = console.conversation.getByRole('note')
  await eventually('the marks', async () => (await marks.count()) === 3)
  const order = await console.conversation.locator('article, [role=note]').evaluateAll((all) => all.map((one) => one.querySelector('.bubble, .prose, p').textContent.trim().split(/\s{2,}|\n/)[0]))
  assert.match(order[0], /^Started fresh: you asked for a fresh start/)
  assert.match(order[1], /^HOLD/)
  assert.match(order.join('|'), /Interrupted.*\|Picked up this repo's previous conversation.*\|MD.*\|Back again\.$/)
})

story('5 a background task shows while it runs', { repos: ['shop'] }, async ({ world, page }) => {
  world.pipe('shop', 'stock')
  const console = new Page(page)
  await console.open('shop')
  await console.ask('BG{cat stock}')
  await console.answer('Reply 1')
  const tool = console.conversation.locator('details').filter({ hasText: 'cat stock' })
  await tool.waitFor()
  await console.conversation.getByText(/^Running in the background: cat stock, for \d+ s/).waitFor()
  await console.row('shop').getByText(/^runs cat stock, \d+ s/).waitFor()
  writeFileSync(`${world.repo('shop')}/stock`, 'done\n')
  await console.conversation.getByText('Running in the background').waitFor({ state: 'detached' })
  await console.conversation.getByText('A message from the engine').waitFor()
})

story('5 a transcript of 100 MB opens at once, its beginning can be reached, and searched for', { repos: ['shop'], add: false }, async ({ t, world, page }) => {
  world.used('shop', 'MD{The seed.}')
  const { turns, bytes } = grow(world.transcripts('shop'), 100e6)
  assert.ok(bytes >= 100e6)
  const [repo] = await world.add('shop')
  const console = new Page(page)
  await console.row('shop').waitFor()
  const began = Date.now()
  await page.goto(`${world.origin}/#/repo/${repo.id}`)
  await console.said('Agent', `Answer ${turns}.`).waitFor()
  t.diagnostic(`its end is there after ${Date.now() - began} ms`)
  await console.conversation.getByText(`Question ${turns}`).waitFor()

  await page.keyboard.press('Control+f')
  await page.keyboard.insertText('i')
  await page.keyboard.press('i')
  const find = page.getByRole('textbox', { name: 'Find in the conversation' })
  assert.equal(await find.inputValue(), 'ii', 'no key is lost, and none does anything else')
  // Whoever looks for something else meanwhile comes back to it.
  await console.composer.focus()
  await page.keyboard.press('Control+f')
  await page.keyboard.press('x')
  assert.deepEqual([await find.inputValue(), await console.composer.inputValue()], ['x', ''], 'what was searched is replaced')
  await find.fill(`Answer ${turns}.`)
  await page.getByText('1 of 1').waitFor()
  // Its beginning isn't loaded: the server looks there, and the page goes there only when it is told to.
  const asked = Date.now()
  await find.fill('Question 3 of')
  await page.getByText('1 earlier', { exact: true }).waitFor()
  t.diagnostic(`its beginning is searched after ${Date.now() - asked} ms`)
  assert.equal(await console.conversation.getByText('Question 3 of many').count(), 0)
  await find.fill(`Question ${turns - 150} of`)
  await page.getByText('1 earlier', { exact: true }).waitFor()
  await find.press('Enter')
  // What is in between isn't drawn, and whether it is there again isn't known.
  await page.getByText('1 of 1+', { exact: true }).waitFor()
  await console.conversation.getByText(`Question ${turns - 150} of`).waitFor()
  assert.equal(await console.conversation.getByText(`Question ${turns - 10} of`).count(), 0)
  await find.press('Escape')

  // A page further back at each reach for the top.
  await eventually('two more pages', async () => {
    await console.conversation.press('Home')
    return console.conversation.getByText(`Question ${turns - 300} `).isVisible()
  })
})

story('5 the search goes through what isn’t loaded: counted, stepped through, back and forth', { repos: ['shop'], add: false }, async ({ world, page }) => {
  world.used('shop', 'MD{The seed.}')
  const { turns } = grow(world.transcripts('shop'), 16e6)
  assert.ok(turns > 140, 'more than a page')
  await world.add('shop')
  const console = new Page(page)
  await console.open('shop')
  await console.said('Agent', `Answer ${turns}.`).waitFor()
  const seen = (text) => eventually(`${text} to be in sight`, () => console.conversation.getByText(text, { exact: true }).first().evaluate((one) => {
    const [{ top, bottom }, frame] = [one.getBoundingClientRect(), one.closest('[role=region]').getBoundingClientRect()]
    return top >= frame.top && bottom <= frame.bottom
  }))
  await page.keyboard.press('Control+f')
  const find = page.getByRole('textbox', { name: 'Find in the conversation' })
  const says = (text) => page.getByRole('search').getByRole('status').getByText(text, { exact: true }).waitFor()
  // Questions 3, 13, 23, … that end so: all are counted at once, the newest is shown.
  await find.fill('3 of many')
  const all = Math.floor((turns - 3) / 10) + 1
  const newest = (all - 1) * 10 + 3
  await says(`${all} of ${all}`)
  await seen(`Question ${newest} of many`)
  for (let step = 1; step < all; step++) {
    await find.press('Enter')
    await says(`${all - step} of ${all}`)
    await seen(`Question ${newest - step * 10} of many`)
  }
  await find.press('Shift+Enter')
  await says(`2 of ${all}`)
  await seen('Question 13 of many')
  await find.fill('is not in there')
  await says('nothing')
})
