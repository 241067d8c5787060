import assert from 'node:assert/strict'
import { Page } from '../support/page.js'
import { story } from '../support/story.js'
import { eventually } from '../support/wait.js'

story('9 Diagnostics: sessions, engines, events, memory; and a report without secrets', { repos: ['shop', 'site'], browser: { permissions: ['clipboard-read', 'clipboard-write'] } }, async ({ world, page }) => {
  const console = new Page(page)
  await world.ok('ask', 'shop', 'MD{A private answer.} my private question')
  await world.ok('pause', 'shop')
  await world.ok('ask', 'site', 'MD{More of it.}')
  await page.goto(`${world.origin}/#/diagnostics`)
  await page.getByRole('heading', { name: '1 session' }).waitFor()
  await page.getByText(/engine \d+ · holder \d+ · \d+ process/).waitFor()
  await page.getByText(/Claude Code.*2\.1\.332|2\.1\.332/).first().waitFor()
  await page.locator('dl').getByText('Freed').waitFor()
  await page.locator('ol').getByText(/Started fresh/).first().waitFor()
  await page.locator('ol').getByText('shop').first().waitFor()

  // The runner has noted it: a page that was opened just now shows it.
  await page.getByRole('img', { name: 'Memory of shop over time' }).waitFor()
  await page.getByText(/none now · at most \d+ MB in/).waitFor()
  await page.getByRole('region', { name: 'Log' }).getByText(/SIGTERM|repose|INFO/).first().waitFor()

  await console.button('Copy report').click()
  await page.getByText('The report is on the clipboard').waitFor()
  const text = await page.evaluate(() => navigator.clipboard.readText())
  const report = JSON.parse(text)
  assert.equal(report.sessions.length, 1)
  assert.equal(report.repos.length, 2)
  for (const secret of [world.token(), world.folder, 'private', 'shop', 'site', 'sk-ant']) {
    assert.ok(!text.includes(secret), `the report says ${secret}`)
  }

  const read = () => page.evaluate(async () => (await fetch('/api/diagnostics')).json())
  await eventually('the memory of both', async () => (await read()).memory.map((of) => of.name).join() === 'shop,site')
  const json = await read()
  const [session] = json.sessions
  assert.equal(session.name, 'site')
  for (const field of ['repo', 'holder', 'engine_pid', 'activity', 'since']) assert.ok(session[field], field)
  assert.deepEqual(session.background_tasks, [])
  assert.deepEqual((await world.ok('status', 'site')).state, 'ready')

  // What runs on behind a turn, and that its status file's changes are heard of.
  await world.ok('ask', 'site', 'BG{sleep 987} please')
  await eventually('the background task', async () => (await read()).sessions[0].background_tasks.some((task) => JSON.stringify(task).includes('sleep 987')))
  await page.getByText(/^Kept because of .*sleep 987/).waitFor()
  await page.getByText('status watched').waitFor()
})

story('9 Diagnostics: what happened last in all repos, orders and decisions too; and durations go on', { repos: ['shop', 'site'] }, async ({ world, page }) => {
  const console = new Page(page)
  await world.ok('ask', 'site', 'MD{Before all of it.}')
  for (let turn = 1; turn <= 7; turn++) await world.ok('ask', 'shop', `MD{Turn ${turn}.}`)
  await console.open('shop')
  await console.ask('RUN{touch it} go')
  await page.getByRole('region', { name: 'The agent waits for you' }).getByRole('button', { name: 'Allow', exact: true }).click()
  await console.answer('Reply')
  await console.state('shop', 'ready')
  await console.ask('HOLD{never} think')
  await console.said('You', 'HOLD{never} think').waitFor()
  await console.state('shop', 'working')
  await page.getByRole('button', { name: /^Interrupt/ }).click()
  await console.conversation.getByRole('note').filter({ hasText: 'Interrupted' }).waitFor()
  await world.state('shop', 'ready')
  await world.ok('pause', 'shop')
  await world.ok('resume', 'shop')
  await world.ok('pause', '--all')
  await world.ok('resume', '--all')
  await world.ok('ask', 'shop', 'MD{And on.}')

  await page.goto(`${world.origin}/#/diagnostics`)
  const events = page.locator('ol li')
  const told = (text) => events.filter({ hasText: text }).first().waitFor()
  for (const text of ['Asked: MD{Before all of it.}', 'Asked: MD{Turn 1.}', 'Waited for the permission to run touch it.', 'Decided: Allow.', 'The turn was interrupted: “HOLD{never} think”.', 'Paused. Freed ', 'Resumed.', 'All repos Everything was paused', 'Everything was resumed.']) await told(text)
  const times = await events.locator('time').evaluateAll((all) => all.map((one) => one.dateTime))
  assert.deepEqual(times, times.toSorted().reverse(), 'latest first, of all repos together')
  const { entries, earlier } = await page.evaluate(async () => (await fetch('/api/log?limit=3')).json())
  assert.deepEqual([entries.length, earlier], [3, true])

  // Without news from the server, time goes on.
  await page.route('**/api/diagnostics', (route) => route.abort())
  const open = page.getByText(/^open for /).first()
  const before = await open.textContent()
  await eventually('the time to go on', async () => (await open.textContent()) !== before)
  await page.unroute('**/api/diagnostics')
})
