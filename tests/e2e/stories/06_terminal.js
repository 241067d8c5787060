import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { Page } from '../support/page.js'
import { shell, shows, types } from '../support/shell.js'
import { story } from '../support/story.js'
import { eventually } from '../support/wait.js'

const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'], colorScheme: 'dark' }
const SHELL = { repos: ['box'], add: false, browser: CLIPBOARD }

story('6 the real screen: true colours, resize, scrollback, copy and paste, search, links', SHELL, async ({ world, person, page }) => {
  const console = await shell(world, page)
  await types(page, String.raw`printf '\033[38;2;10;200;30mtr%s\033[0m \033[48;2;90;0;90mback\033[0m\n' ue`)
  await shows(console, 'true back')
  const colours = await page.locator('.xterm-rows span').evaluateAll((spans) => spans.map((span) => {
    const { color, backgroundColor } = getComputedStyle(span)
    return [span.textContent.trim(), color, backgroundColor]
  }))
  assert.equal(colours.find(([text]) => text === 'true')?.[1], 'rgb(10, 200, 30)')
  assert.equal(colours.find(([text]) => text === 'back')?.[2], 'rgb(90, 0, 90)')

  await types(page, 'stty size')
  await shows(console, /^\d+ \d+$/m)
  const [, before] = /^(\d+ \d+)$/m.exec(await console.screen())
  await page.setViewportSize({ width: 1000, height: 600 })
  await eventually('the smaller size to reach the program', async () => {
    await types(page, 'clear; stty size')
    const now = /^(\d+ \d+)$/m.exec(await console.screen())?.[1]
    return now !== undefined && now !== before
  })

  await types(page, 'clear; seq 1000 1400')
  await shows(console, '1400')
  assert.doesNotMatch(await console.screen(), /^1000$/m)
  await page.locator('.xterm').hover()
  await eventually('the first line, scrolled to', async () => {
    await page.mouse.wheel(0, -4_000)
    return /^1000$/m.test(await console.screen())
  })
  await page.keyboard.press('Control+Shift+F')
  await page.getByRole('textbox', { name: 'Find in the terminal' }).fill('1234')
  await page.getByText('1 of 1').waitFor()
  await shows(console, /^1234$/m)
  await page.keyboard.press('Escape')

  // Ctrl-K is the program's; with Shift it is the page's.
  await page.keyboard.press('Control+k')
  await shows(console, '^K')
  await page.keyboard.press('Control+c')
  await page.keyboard.press('Control+Shift+K')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.locator('.xterm-screen').click()

  await types(page, `clear; echo select-me ${world.origin}/icon.svg`)
  await shows(console, /^select-me http/m)
  const line = await page.locator('.xterm-rows > div').filter({ hasText: /^select-me/ }).boundingBox()
  await page.mouse.dblclick(line.x + 20, line.y + 8)
  await page.keyboard.press('Control+Shift+C')
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /select/)
  await page.evaluate(() => navigator.clipboard.writeText("printf 'pas%s' ted"))
  await page.keyboard.press('Control+Shift+V')
  await page.keyboard.press('Enter')
  await shows(console, /^pasted/m)
  const opened = person.context.waitForEvent('page')
  await page.mouse.move(line.x + 159, line.y + 8)
  await page.mouse.click(line.x + 160, line.y + 8)
  assert.equal((await opened).url(), `${world.origin}/icon.svg`)
})

story('6 exact after reload and reattach: alternate screen, modes, title, and nothing is answered twice', SHELL, async ({ world, person, page }) => {
  writeFileSync(`${world.repo('box')}/full`, '\x1b[?1049h\x1b[2J\x1b[H\x1b]0;A title of its own\x07\x1b[3;5H\x1b[1;33mthird line\x1b[0m\x1b[5;1H\x1b[?1000h\x1b[?1006h')
  const console = await shell(world, page)
  await types(page, 'seq 1 90; cat full; cat -v')
  await shows(console, 'third line')
  await page.locator('.title', { hasText: 'A title of its own' }).waitFor()
  // The title takes a line's height from the terminal, a moment after it is read.
  const text = async () => (await console.screen()).trimEnd()
  const drawn = '\n\n    third line'
  await eventually('it to be drawn', async () => (await text()) === drawn)
  await page.reload()
  await page.locator('.title', { hasText: 'A title of its own' }).waitFor()
  await eventually('the same again', async () => (await text()) === drawn)
  // The program asked for the mouse before the reload: a click still reaches it.
  await page.locator('.xterm-screen').click({ position: { x: 40, y: 40 } })
  await shows(console, /\^\[\[<0;\d+;\d+M/)
  // A second tab shows the same.
  const second = await person.tab(page.url())
  const other = new Page(second)
  await eventually('the second tab to show the same', async () => (await other.screen()).trimEnd() === (await text()))
  await second.close()
  await page.keyboard.press('Control+c')
  await types(page, String.raw`printf '\033[?1049l\033[?1000l'`)
  await shows(console, /^90$/m)
})

/** What takes how many cells: each character by itself, as the holder's terminal has it. */
const CELLS = [['e\u0301', 1], ['日', 2], ['😀', 2], ['✅', 2], ['🫡', 2], ['🇩🇪', 2], ['❤\ufe0f', 1], ['👩\u200d👧', 4], ['─', 1]]

story('6 characters take as many cells as in the holder’s terminal, emoji too', SHELL, async ({ world, page }) => {
  // After each three letters; then the one in the column after its own width is drawn over.
  writeFileSync(`${world.repo('box')}/cells`, CELLS.map(([text, width]) => `${text}abc\x1b[${width + 1}G#\r\n`).join(''))
  const console = await shell(world, page)
  await types(page, 'clear; cat cells; echo dra""wn')
  await shows(console, 'drawn')
  const lines = async () => (await console.screen()).split('\n')
  const want = CELLS.map(([text]) => `${text}#bc`)
  const drawn = async () => (await lines()).filter((line) => line.endsWith('bc') && !line.includes('cells'))
  assert.deepEqual(await drawn(), want)
  // The same from the holder's own screen, which a page gets that comes later.
  await page.reload()
  await shows(console, 'drawn')
  assert.deepEqual(await drawn(), want)
})

/** Paints as fast as it is read from, a colour for each cell, and below it what was typed. */
const FLOOD = `
const cells = Array.from({ length: 60 }, (_, at) => '\\x1b[38;5;' + (16 + at) + 'm#').join('')
const rows = Array.from({ length: 12 }, (_, at) => '\\x1b[' + (at + 1) + ';1H' + cells).join('')
let typed = ''
process.stdin.setRawMode(true).on('data', (keys) => {
  if (keys.includes('q')) {
    process.stdout.write('\\x1b[2J\\x1b[Hflooded')
    process.exit()
  }
  typed += keys
})
const paint = () => process.stdout.write(rows + '\\x1b[0m\\x1b[14;1Htyped: ' + typed + '.', () => setImmediate(paint))
paint()
`

story('6 with a flood of output the page stays responsive and typing echoes', SHELL, async ({ t, world, page }) => {
  writeFileSync(`${world.repo('box')}/flood.mjs`, FLOOD)
  const console = await shell(world, page)
  await types(page, `clear; ${process.execPath} flood.mjs`)
  await shows(console, 'typed: .')
  await page.evaluate(() => {
    globalThis.frames = []
    let last = performance.now()
    const frame = (now) => (globalThis.frames.push(now - last), (last = now), requestAnimationFrame(frame))
    requestAnimationFrame(frame)
  })
  const lags = []
  for (const [at, letter] of [...'echo'].entries()) {
    const began = Date.now()
    await page.keyboard.type(letter)
    await shows(console, `typed: ${'echo'.slice(0, at + 1)}.`)
    lags.push(Date.now() - began)
  }
  // The page itself goes on: a menu opens while the terminal is flooded.
  const began = Date.now()
  await console.button('More').click()
  await page.getByRole('menuitem', { name: 'Copy path' }).waitFor()
  const menu = Date.now() - began
  const frames = (await page.evaluate(() => globalThis.frames)).toSorted((a, b) => a - b)
  const median = frames[Math.floor(frames.length / 2)]
  t.diagnostic(`echo ${lags.join(', ')} ms; menu ${menu} ms; a frame each ${median.toFixed(0)} ms, the longest ${frames.at(-1).toFixed(0)} ms`)
  // Far beyond what is to be seen on a machine with nothing else to do: a tab that hangs draws nothing.
  assert.ok(median < 1_000, `a frame each ${median} ms`)
  await page.keyboard.press('Escape')
  await page.locator('.xterm-screen').click()
  await page.keyboard.type('q')
  // What is typed before it has gone would be read by it.
  await shows(console, /^flooded/m)
  await types(page, 'clear; echo o\\ver')
  await shows(console, /^over$/m)
})

story('6 what is asked in the terminal is in the conversation too', { repos: ['shop'] }, async ({ world, page }) => {
  const console = new Page(page)
  await console.open('shop')
  await page.getByRole('radio', { name: 'Terminal' }).click()
  await console.button('Open it').click()
  await console.state('shop', 'ready')
  await shows(console, /Claude Code/)
  await page.keyboard.type('MD{Said in the terminal.}')
  await shows(console, 'MD{Said')
  await page.keyboard.press('Enter')
  await shows(console, /Said in the terminal\.\s*$/m)
  await page.keyboard.press('Control+`')
  await console.answer('Said in the terminal.')
  await world.wait('shop', 'the turn to be over', (status) => status.state === 'ready' && !status.holds.some((hold) => hold.kind === 'turn'))
  await console.button('Pause').click()
  await console.state('shop', 'paused')
  assert.equal(await page.locator('.xterm').count(), 0)
  await console.button('Resume').first().waitFor()
})

story('6 a shell keeps no conversation: its terminal is all there is, and Stop ends it', SHELL, async ({ world, page }) => {
  const console = await shell(world, page)
  assert.equal(await console.composer.count(), 0, 'nothing is typed into nowhere')
  assert.equal(await page.getByRole('radio').count(), 0)
  assert.equal(await console.button('Pause').count(), 0)
  await page.keyboard.press('Control+`')
  await page.locator('.xterm').waitFor()
  await page.getByRole('button', { name: 'All repos' }).click()
  await page.getByRole('menuitem', { name: 'Pause all' }).click()
  const refused = console.dialog('Not all of it was done')
  await refused.getByRole('button', { name: 'Leave it running' }).waitFor()
  await refused.getByRole('button', { name: 'Stop box' }).click()
  await refused.waitFor({ state: 'detached' })
  await console.state('box', 'asleep')
  await console.button('Open it').waitFor()
})

story('6 a terminal that opens by itself takes no keys; one that somebody opens does', SHELL, async ({ world, page }) => {
  await world.ok('add', world.repo('box'), '--engine', 'shell')
  const console = new Page(page)
  await console.open('box')
  await console.button('Open it').waitFor()
  await world.try('ask', 'box', 'echo hello', '--no-wait')
  await page.locator('.xterm-rows').getByText(/[$#]/).first().waitFor()
  const typesThere = () => page.evaluate(() => document.activeElement?.closest('.xterm') !== null)
  assert.equal(await typesThere(), false)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')

  await world.ok('stop', 'box', '--interrupt')
  await console.button('Open it').click()
  await eventually('the terminal to take the keys', typesThere)
})
