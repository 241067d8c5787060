import assert from 'node:assert/strict'
import { Page } from '../support/page.js'
import { story } from '../support/story.js'

story('9 engines: chosen as a repo is added, switched by the menu, listed in Settings and at the first run; the log is in Diagnostics', { repos: ['shop', 'box'], add: false }, async ({ world, page }) => {
  const console = new Page(page)
  await page.getByRole('heading', { name: 'Engines on this machine' }).waitFor()
  const engine = (title) => page.locator('.engines li').filter({ hasText: title })
  await engine('Claude Code').getByText(/2\.1\.332/).waitFor()
  await engine('Claude Code').getByText(/\/bin\/claude/).waitFor()
  await engine('Claude Code').getByText(/logged in/).waitFor()
  await engine('OpenCode').getByText(/npm install/).waitFor()
  const path = page.getByLabel('Path of the folder')
  await path.fill(world.repo('box'))
  await page.getByRole('combobox', { name: 'With' }).selectOption('shell')
  await path.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'box' }).waitFor()
  assert.equal((await world.ok('status', 'box')).engine, 'shell')

  await world.add('shop')
  await console.open('shop')
  await console.ask('MD{Said to Claude.}')
  await console.answer('Said to Claude.')
  await console.state('shop', 'ready')
  await console.more('Engine…')
  const engines = console.dialog('Engine of shop')
  await engines.getByText('in use').waitFor()
  await engines.getByRole('button', { name: 'Use Shell' }).click()
  await console.button('Open it').waitFor()
  assert.equal((await world.ok('status', 'shop')).engine, 'shell')
  // Back again, its conversation is picked up.
  await console.more('Engine…')
  await engines.getByRole('button', { name: 'Use Claude Code' }).click()
  await console.said('Agent', 'Said to Claude.').waitFor()

  await page.goto(`${world.origin}/#/settings`)
  await page.getByRole('heading', { name: 'Engines' }).waitFor()
  await page.locator('main').getByText('Claude Code').first().waitFor()
  await page.goto(`${world.origin}/#/diagnostics`)
  await page.getByRole('region', { name: 'Log' }).waitFor()
})
