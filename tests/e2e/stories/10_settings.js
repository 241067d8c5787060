import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { story } from '../support/story.js'
import { eventually } from '../support/wait.js'

story('10 Settings: durations with what they cost, checked while typed, errors in place', { repos: ['shop'] }, async ({ world, page }) => {
  const file = () => readFileSync(world.path('repose/config.toml'), 'utf8')
  await page.goto(`${world.origin}/#/settings`)
  const idle = page.getByLabel('Let go of idle agents after')
  await idle.waitFor()
  assert.equal(await idle.inputValue(), '6h')
  await page.getByText(/Shorter gives memory back sooner/).waitFor()

  await idle.fill('soon')
  await page.getByText('Write whole numbers, each with s, m, h, d or w: 30m, 6h, 1d 12h.').waitFor()
  assert.equal(await idle.getAttribute('aria-invalid'), 'true')
  await idle.fill('5d')
  await page.getByText(/Idle agents must be let go sooner/).waitFor()
  await idle.fill('999999999999d')
  await page.getByText('That is too long: at most 100,000 days.').waitFor()
  await idle.fill('100ms')
  await page.getByText('That is too short: at least 1 s.').waitFor()
  assert.equal(file(), '', 'nothing wrong is saved')
  await idle.fill('1h30m')
  await idle.press('Enter')
  await page.getByText('Saved').waitFor()
  await eventually('the file to have it', () => /idle_after\s*=\s*"(90m|1h 30m|5400s)"/.test(file()))

  for (const { label, costs, wrong, said, value, written } of [
    { label: 'Pick a conversation up again within', costs: /an old conversation costs tokens/, wrong: '30m', said: /let go sooner|must be/, value: '3d', written: /resume_within\s*=\s*"3(d|days)"/ },
    { label: 'Call an agent stalled after', costs: /you are told, and nothing is ended/, wrong: 'late', said: /Write whole numbers/, value: '20m', written: /stall_after\s*=\s*"(20m|1200s)"/ },
    { label: 'Agents open at once', costs: /One more opens once an idle one was let go/, wrong: 'many', said: /number/, value: '3', written: /max_live\s*=\s*3/ },
  ]) {
    const field = page.getByLabel(label)
    await page.getByText(costs).waitFor()
    await field.fill(wrong)
    await page.getByText(said).last().waitFor()
    assert.equal(await field.getAttribute('aria-invalid'), 'true', label)
    await field.fill(value)
    await field.press('Enter')
    await eventually(`${label} in the file`, () => written.test(file()))
  }

  const budget = page.getByLabel('Memory for all agents together')
  await budget.fill('4 GB')
  await budget.press('Enter')
  await eventually('the budget in the file', () => /memory_budget\s*=/.test(file()))
  const notices = page.getByRole('checkbox').or(page.getByRole('switch')).first()
  const was = await notices.isChecked()
  await notices.click()
  await eventually('the notification in the file', () => /\[notify\]/.test(file()))
  assert.equal(await notices.isChecked(), !was)

  // What is written into the file shows without a reload; what can't be read is said here.
  writeFileSync(world.path('repose/config.toml'), 'idle_after = "2h"\n')
  await eventually('the file to show', async () => (await idle.inputValue()) === '2h')
  writeFileSync(world.path('repose/config.toml'), 'idle_after = "2h"\nresume_within = 7\n')
  const wrong = page.getByText(/resume_within/)
  await wrong.waitFor()
  await idle.fill('3h')
  await idle.press('Enter')
  await page.getByText('The file has to be mended first, as said above.').waitFor()
  await page.getByRole('switch').first().click()
  await page.getByText('Not saved: The file has to be mended first, as said above.').waitFor()
  assert.equal(await wrong.count(), 1, 'what is wrong is told once')
  await page.getByRole('button', { name: 'Back to 2h' }).click()
  assert.equal(await idle.inputValue(), '2h')

  await page.getByRole('radio', { name: 'Dark' }).click()
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const dark = await back()
  await page.reload()
  await page.getByRole('radio', { name: 'Dark', checked: true }).waitFor()
  assert.equal(await back(), dark)
  await page.getByRole('radio', { name: 'Light' }).click()
  assert.notEqual(await back(), dark)
})

story('10 what is refused or cannot be saved says so, and shows what is in force', { repos: ['shop'] }, async ({ world, page }) => {
  await page.goto(`${world.origin}/#/settings`)
  const idle = page.getByLabel('Let go of idle agents after')
  await idle.fill('soon')
  await idle.blur()
  await page.getByText('Not saved: 6h stays in force.').waitFor()
  await page.getByRole('button', { name: 'Back to 6h' }).click()
  assert.equal(await idle.inputValue(), '6h')
  assert.equal(await idle.getAttribute('aria-invalid'), 'false')

  const file = () => readFileSync(world.path('repose/config.toml'), 'utf8')
  const switches = page.getByRole('switch')
  const error = { code: 'internal', title: 'A fault', message: 'The disk is full.', hints: [], severity: 'error' }
  await page.route('**/api/settings', (route) => (route.request().method() === 'PATCH' ? route.fulfill({ status: 503, json: { error } }) : route.continue()))
  await switches.first().click()
  await page.getByText('Not saved: The disk is full.').waitFor()
  assert.equal(await switches.first().isChecked(), true, 'as it is in force')
  await page.unroute('**/api/settings')
  // Two in one breath: both hold.
  await page.evaluate(() => document.querySelectorAll('[role=switch]').forEach((one, at) => at < 2 && one.click()))
  await eventually('both in the file', () => /reaped\s*=\s*false/.test(file()) && /fresh\s*=\s*false/.test(file()))
})
