import assert from 'node:assert/strict'
import { shot } from '../support/browser.js'
import { Page } from '../support/page.js'
import { story } from '../support/story.js'
import { grow } from '../support/transcript.js'
import { eventually, stays } from '../support/wait.js'

story('7 a tool waits for its permission, and runs no more once its agent has ended', { repos: ['shop'] }, async ({ world, page }) => {
  const console = new Page(page)
  const tool = (text) => console.conversation.locator('details').filter({ hasText: text })
  await console.open('shop')
  await console.ask('RUN{touch a stock}')
  await tool('touch a stock').getByText('waits for permission', { exact: true }).waitFor()
  await world.ok('pause', 'shop', '--interrupt')
  await console.state('shop', 'paused')
  await tool('touch a stock').getByText('not run', { exact: true }).waitFor()
  await shot(page, 'tool-not-run')

  await console.button('Resume').click()
  await console.state('shop', 'ready')
  world.pipe('shop', 'stock')
  await console.ask('RUN{cat stock}')
  await tool('cat stock').getByText('running', { exact: true }).waitFor()
  assert.equal(await tool('touch a stock').getByText('not run', { exact: true }).count(), 1)
  await world.ok('stop', 'shop', '--interrupt')
  await console.state('shop', 'asleep')
  await tool('cat stock').getByText('not finished', { exact: true }).waitFor()
  await console.row('shop').getByText(/^stopped/).waitFor()
})

story('7 what Stop cut off says so in the conversation, and what was interrupted was not run', { repos: ['shop'], add: false }, async ({ world, page }) => {
  world.used('shop', 'MD{The seed.}')
  await world.add('shop')
  const console = new Page(page)
  const tool = (text) => console.conversation.locator('details').filter({ hasText: text })
  await console.open('shop')
  await console.ask('RUN{touch never}')
  await tool('touch never').getByText('waits for permission', { exact: true }).waitFor()
  await world.ok('interrupt', 'shop')
  await tool('touch never').getByText('not run', { exact: true }).waitFor()
  await console.conversation.getByRole('note').filter({ hasText: 'Interrupted' }).waitFor()
  await console.ask('MD{And on.}')
  await console.answer('And on.')

  world.pipe('shop', 'stock')
  const asked = world.try('ask', 'shop', 'RUN{cat stock}')
  await tool('cat stock').getByText('running', { exact: true }).waitFor()
  await world.ok('stop', 'shop', '--interrupt')
  await asked
  await tool('cat stock').getByText('not finished', { exact: true }).waitFor()
  const cut = console.conversation.getByText('The repo was stopped before this was answered.')
  await cut.waitFor()
  await shot(page, 'stopped')
  await page.reload()
  await cut.waitFor()
})

story('7 a permission stands whole beside its buttons, below the end of a long conversation', { repos: ['shop'], add: false }, async ({ world, page }) => {
  world.used('shop', 'MD{The seed.}')
  grow(world.transcripts('shop'), 4e6)
  const [repo] = await world.add('shop')
  const lines = Array.from({ length: 60 }, (_, at) => `echo line ${at} of what it runs, and more of it`)
  const command = `touch stock\n${lines.join('\n')}\necho ${'x'.repeat(2_000)} last`
  const asked = world.try('ask', 'shop', `RUN{${command}}`)
  await world.wait('shop', 'the permission to be asked for', ({ state, decision }) => state === 'waiting' && decision)
  const console = new Page(page)
  await page.goto(`${world.origin}/#/repo/${repo.id}`)
  await page.reload()
  const asks = page.getByRole('region', { name: 'The agent waits for you' })
  const whole = asks.locator('pre')
  await whole.waitFor()
  await console.said('You', 'line 59').waitFor()
  // The server's copy of so long a question is cut: it stands once all the same.
  await console.said('You, just taken up', '').waitFor({ state: 'detached' })
  const left = () => console.conversation.evaluate((region) => region.scrollHeight - region.scrollTop - region.clientHeight)
  await eventually('the end', async () => (await left()) < 2)
  await stays('at its end', 1_000, async () => (await left()) < 2 && (await console.button('Latest').count()) === 0)
  await shot(page, 'permission-long')
  // Whoever comes back sees its end too, wherever they stood before.
  await console.conversation.press('Home')
  await console.button('Latest').waitFor()
  await page.getByRole('link', { name: 'Repose, home' }).click()
  await console.open('shop')
  await eventually('the end', async () => (await left()) < 2)
  await stays('at its end', 1_000, async () => (await left()) < 2 && (await console.button('Latest').count()) === 0)

  assert.equal(await whole.textContent(), command)
  await asks.getByText(/more lines below$/).waitFor()
  await whole.evaluate((pre) => pre.scrollTo({ top: pre.scrollHeight }))
  await asks.getByText(/below$/).waitFor({ state: 'detached' })
  assert.ok(await whole.evaluate((pre) => pre.scrollWidth <= pre.clientWidth), 'nothing is beside it')
  for (const name of ['Allow', 'Deny']) assert.ok(await asks.getByRole('button', { name, exact: true }).isVisible())
  await shot(page, 'permission-long-end')
  await asks.getByRole('button', { name: 'Deny' }).click()
  await asked
})
