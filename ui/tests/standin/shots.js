// Writes a picture of every screen, for looking at: `node tests/standin/shots.js FOLDER`. Needs Debian's chromium.
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium } from 'playwright-core'
import { standin } from './server.js'

const folder = process.argv[2] ?? 'shots'
const only = process.argv[3]
mkdirSync(folder, { recursive: true })
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const SIZES = { wide: { width: 1280, height: 820 }, narrow: { width: 360, height: 740 } }
const troubles = []

const open = (address) => async (page, origin) => {
  await page.goto(`${origin}/${address}`)
  await page.waitForTimeout(700)
}
const SCREENS = {
  list: ['full', open('#/')],
  conversation: ['full', open('#/repo/r1')],
  working: ['full', open('#/repo/r2')],
  waiting: ['full', open('#/repo/r3')],
  paused: ['full', open('#/repo/r4')],
  asleep: ['full', open('#/repo/r5')],
  offline: ['full', open('#/repo/r7')],
  opening: ['full', open('#/repo/r8')],
  terminal: ['full', open('#/repo/r1/terminal')],
  settings: ['full', open('#/settings')],
  diagnostics: ['full', open('#/diagnostics')],
  add: ['full', open('#/add')],
  empty: ['empty', open('#/')],
  locked: ['locked', open('#/')],
  many: ['many', open('#/repo/m7')],
  menu: ['full', async (page, origin) => {
    await open('#/repo/r1')(page, origin)
    await page.getByRole('button', { name: 'More' }).click()
  }],
  why: ['full', async (page, origin) => {
    await open('#/repo/r1')(page, origin)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Why is it awake?' }).click()
    await page.waitForTimeout(200)
  }],
  earlier: ['full', async (page, origin) => {
    await open('#/repo/r1')(page, origin)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Earlier conversations…' }).click()
    await page.getByRole('button', { name: /invoice 2211/ }).click()
    await page.waitForTimeout(300)
  }],
  fresh: ['full', async (page, origin) => {
    await open('#/repo/r1')(page, origin)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Start fresh…' }).click()
    await page.waitForTimeout(200)
  }],
  doubt: ['full', async (page, origin) => {
    await open('#/repo/r2')(page, origin)
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.waitForTimeout(300)
  }],
  palette: ['full', async (page, origin) => {
    await open('#/repo/r1')(page, origin)
    await page.keyboard.press('Control+k')
    await page.waitForTimeout(200)
    await page.keyboard.type('pa')
    await page.waitForTimeout(100)
  }],
  find: ['full', async (page, origin) => {
    await open('#/repo/r1')(page, origin)
    await page.keyboard.press('Control+f')
    await page.waitForTimeout(200)
    await page.keyboard.type('round')
    await page.waitForTimeout(200)
  }],
  gone: ['full', async (page, origin, world) => {
    await open('#/repo/r2')(page, origin)
    await page.getByRole('textbox', { name: /Ask the agent/ }).fill('A draft that stays')
    await world.close()
    await page.waitForTimeout(400)
  }],
  refused: ['full', async (page, origin) => {
    await open('#/repo/r1')(page, origin)
    await page.getByRole('textbox', { name: /Ask the agent/ }).fill('refuse this')
    await page.keyboard.press('Enter')
    await page.waitForTimeout(300)
  }],
  asked: ['full', async (page, origin) => {
    await open('#/repo/r5')(page, origin)
    await page.getByRole('textbox', { name: /Ask the agent/ }).fill('What did I write about schedulers?')
    await page.keyboard.press('Enter')
    await page.waitForTimeout(1_200)
  }],
  keys: ['full', async (page, origin) => {
    await open('#/')(page, origin)
    await page.keyboard.press('?')
    await page.waitForTimeout(300)
  }],
}

for (const [name, [kind, act]] of Object.entries(SCREENS)) {
  if (only && !only.split(',').includes(name)) continue
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of ['light', 'dark']) {
      const world = standin(kind)
      const origin = `http://127.0.0.1:${await world.listen()}`
      const context = await browser.newContext({ viewport, colorScheme })
      const page = await context.newPage()
      const where = `${name} ${size} ${colorScheme}`
      page.on('pageerror', (error) => troubles.push(`${where}: ${error.message}`))
      page.on('console', (message) => {
        if (message.type() === 'error' && !/ERR_CONNECTION|ERR_INCOMPLETE|40[019]|ERR_EMPTY/.test(message.text())) troubles.push(`${where}: ${message.text()}`)
      })
      try {
        await act(page, origin, world)
        await page.screenshot({ path: `${folder}/${name}-${size}-${colorScheme}.png` })
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
        if (wide) troubles.push(`${where}: scrolls sideways`)
        const session = await context.newCDPSession(page)
        await session.send('Page.setBypassCSP', { enabled: true })
        const source = (await import('node:fs')).readFileSync(axe, 'utf8')
        await session.send('Runtime.evaluate', { expression: source })
        const found = await page.evaluate(() => globalThis.axe.run({ exclude: ['.xterm'] }, { resultTypes: ['violations'] }))
        for (const violation of found.violations) {
          if (!['serious', 'critical'].includes(violation.impact)) continue
          troubles.push(`${where}: axe ${violation.id}: ${violation.nodes.slice(0, 3).map((node) => node.html.slice(0, 140) + ' ' + (node.any[0]?.message ?? '').slice(0, 140)).join(' | ')}`)
        }
      } catch (error) {
        troubles.push(`${where}: ${error.message.split('\n')[0]}`)
      }
      await context.close()
      if (name !== 'gone') await world.close()
    }
  }
}
await browser.close()
console.log(troubles.length === 0 ? 'nothing amiss' : [...new Set(troubles)].join('\n'))
