import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { Page } from '../support/page.js'
import { shell, shows, types } from '../support/shell.js'
import { story } from '../support/story.js'
import { eventually, stays } from '../support/wait.js'

const SHELL = { repos: ['box'], add: false, browser: { permissions: ['clipboard-read', 'clipboard-write'], colorScheme: 'dark' } }

story('6 reattached, colours, cursor, bracketed paste and links are as they were', SHELL, async ({ world, person, page }) => {
  writeFileSync(`${world.repo('box')}/screen`, `\x1b[2J\x1b[H\x1b[38;2;10;200;30mgreen\x1b[0m\r\n\x1b]8;;${world.origin}/icon.svg\x1b\\a link of its own\x1b]8;;\x1b\\\r\n\x1b[?2004hready \x1b[4;9H`)
  const console = await shell(world, page)
  await types(page, 'stty -echo; cat screen; cat -v')
  await shows(console, 'ready')
  const look = () => page.evaluate(() => {
    const cell = [...document.querySelectorAll('.xterm-rows span')].find((span) => span.textContent.startsWith('green'))
    const rows = [...document.querySelectorAll('.xterm-rows > div')]
    const cursor = document.querySelector('.xterm-cursor')
    const row = rows.findIndex((one) => one.contains(cursor))
    const left = cursor ? Math.round(cursor.getBoundingClientRect().left - rows[0].getBoundingClientRect().left) : null
    return { colour: cell && getComputedStyle(cell).color, row, left }
  })
  const before = await eventually('the cursor to stand', async () => {
    const now = await look()
    return now.row === 3 && now.colour ? now : null
  })
  assert.equal(before.colour, 'rgb(10, 200, 30)')
  await page.reload()
  await shows(console, 'ready')
  await eventually('it to be as before', async () => JSON.stringify(await look()) === JSON.stringify(before))
  const opened = person.context.waitForEvent('page')
  const line = await page.locator('.xterm-rows > div').filter({ hasText: 'a link of its own' }).boundingBox()
  await page.mouse.move(line.x + 29, line.y + 8)
  await page.mouse.click(line.x + 30, line.y + 8)
  const other = await opened
  assert.equal(other.url(), `${world.origin}/icon.svg`)
  await other.close()
  await page.evaluate(() => navigator.clipboard.writeText('pasted'))
  await page.locator('.xterm-screen').click()
  await page.keyboard.press('Control+Shift+V')
  await page.keyboard.press('Enter')
  await shows(console, '^[[200~pasted^[[201~')
})

story('6 a page that comes back by itself opens nothing', SHELL, async ({ world, page }) => {
  const console = await shell(world, page)
  const { sessions } = await (await fetch(`${world.origin}/api/diagnostics`, { headers: { Authorization: `Bearer ${world.token()}` } })).json()
  await world.stopServe('SIGKILL')
  await page.getByText("Repose doesn't answer.", { exact: true }).waitFor()
  process.kill(sessions[0].engine_pid, 'SIGKILL')
  await world.serve()
  await console.state('box', 'asleep')
  await console.button('Open it').waitFor()
  await stays('it stays asleep', 3_000, async () => (await world.ok('status', 'box')).state === 'asleep')
  await console.button('Open it').click()
  await eventually('a prompt', async () => /[$#]\s*$/.test((await console.screen()).trimEnd()))
})

story('6 Start fresh in its terminal leads to the new one', { repos: ['shop'] }, async ({ page }) => {
  const console = new Page(page)
  await console.open('shop')
  await console.ask('MD{The old answer.}')
  await console.answer('The old answer.')
  await console.state('shop', 'ready')
  await page.getByRole('radio', { name: 'Terminal' }).click()
  await shows(console, 'The old answer.')
  await console.more('Start fresh…')
  await console.dialog('Start fresh in shop?').getByRole('button', { name: 'Start fresh' }).click()
  await console.header.getByText('Started fresh: you asked for a fresh start.').waitFor()
  await console.state('shop', 'ready')
  await eventually('the new one', async () => {
    const screen = await console.screen()
    return screen.includes('❯') && !screen.includes('The old answer.')
  })
  await page.getByText('The terminal is over').waitFor({ state: 'detached' })
  await page.locator('.xterm-screen').click()
  await page.keyboard.type('MD{In the new one.}')
  await shows(console, 'MD{In the new')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+`')
  await console.answer('In the new one.')
})

story('6 a terminal that is refused says why, and comes once it isn’t', SHELL, async ({ world, page }) => {
  await world.ok('add', world.repo('box'), '--engine', 'shell')
  const error = { code: 'too_many', title: 'Too many', message: '64 terminals are attached already. Close one.', hints: [], severity: 'notice' }
  let full = true
  await page.routeWebSocket(/\/terminal\?/, (socket) => (full ? socket.close() : socket.connectToServer()))
  await page.route('**/terminal?*', (route) => (full ? route.fulfill({ status: 503, json: { error } }) : route.continue()))
  const console = new Page(page)
  await console.open('box')
  await console.button('Open it').click()
  await page.getByText('64 terminals are attached already. Close one.').waitFor()
  assert.equal(await page.getByText('Connecting…').count(), 0)
  full = false
  await page.getByText('64 terminals are attached already.').waitFor({ state: 'detached' })
  await eventually('a prompt', async () => /[$#]\s*$/.test((await console.screen()).trimEnd()))
})

story('6 from a terminal the page’s own keys lead to another repo and out of it', { repos: ['alpha', 'box'], add: false }, async ({ world, page }) => {
  await world.add('alpha')
  const console = await shell(world, page)
  await page.keyboard.press('Control+`')
  await eventually('its row to have the focus', () => console.row('box').evaluate((row) => document.activeElement === row))
  await page.keyboard.press('Control+`')
  await types(page, 'echo he\\re')
  await shows(console, /^here$/m)
  await page.keyboard.press('Alt+ArrowUp')
  await page.getByRole('heading', { level: 1, name: 'alpha' }).waitFor()
})
