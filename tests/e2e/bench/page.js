// What the page costs, beside ttyd on the same machine in the same run. Nothing here fails on a slow machine; a person
// reads it. Both terminals draw with xterm.js's DOM renderer, in the same browser, at the same size.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Browser, NARROW } from '../support/browser.js'
import { Page } from '../support/page.js'
import { eventually } from '../support/wait.js'
import { World } from '../support/world.js'

const MB = 1_000_000
/** So much is written through a terminal. */
const PLAIN = 64 * MB
const DENSE = 24 * MB
const KEYS = 60
const LINES = 10_000
const REPOS = 1_000
const LISTS = 400

const print = (what, measured, budget) => console.log(`${what.padEnd(54)} ${measured.padStart(12)} ${budget.padStart(12)}`)
const ms = (span) => `${span.toFixed(1)} ms`
const rate = (bytes, span) => `${(bytes / MB / (span / 1000)).toFixed(1)} MB/s`
const at = (share, numbers) => numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))]

/** What both terminals have to show. */
function material(folder) {
  const line = 'a line of what a program writes while it works, of some eighty characters. 0123'
  writeFileSync(`${folder}/plain`, `${line}\r\n`.repeat(PLAIN / (line.length + 2)))
  let dense = ''
  for (let cell = 0; dense.length < 8_000; cell++) dense += `\x1b[38;2;${cell % 256};${(cell * 7) % 256};120m#${cell % 80 === 79 ? '\r\n' : ''}`
  writeFileSync(`${folder}/dense`, `${dense}\x1b[0m\r\n`.repeat(DENSE / dense.length))
}

/** Measures one terminal that is shown in `page`, at a shell's prompt in the folder of the material. */
async function terminal(page) {
  const shows = (text) => page.waitForFunction((text) => [...document.querySelectorAll('.xterm-rows > div')].some((row) => row.textContent.trim() === text), text, { polling: 5, timeout: 300_000 })
  const line = async (text) => {
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }
  const found = {}
  for (const [name, bytes] of [['plain', PLAIN], ['dense', DENSE]]) {
    await page.keyboard.type(`clear; cat ${name}; echo over-${name.toUpperCase()} | tr A-Z a-z`)
    const began = performance.now()
    await page.keyboard.press('Enter')
    await shows(`over-${name}`)
    found[name] = rate(bytes, performance.now() - began)
    found[`${name}Span`] = performance.now() - began
  }
  await line('clear; cat > /dev/null')
  // From the key to the letter in the page, as the page sees both.
  await page.evaluate(() => {
    globalThis.echoes = []
    let pressed = 0
    addEventListener('keydown', () => (pressed = performance.now()), true)
    new MutationObserver(() => {
      if (pressed === 0) return
      globalThis.echoes.push(performance.now() - pressed)
      pressed = 0
    }).observe(document.querySelector('.xterm-rows'), { subtree: true, childList: true, characterData: true })
  })
  for (let key = 1; key <= KEYS; key++) {
    await page.keyboard.press('x')
    await page.waitForFunction((key) => globalThis.echoes.length >= key, key, { polling: 'raf' })
  }
  found.echo = at(0.5, await page.evaluate(() => globalThis.echoes))
  await page.keyboard.press('Control+c')
  return found
}

async function ours(browser, world) {
  await world.ok('add', world.repo('box'), '--engine', 'shell')
  const person = await browser.person()
  const page = await person.tab(await world.link())
  const console = new Page(page)
  await console.open('box')
  await page.getByRole('radio', { name: 'Terminal' }).click()
  await console.button('Open it').click()
  await eventually('a prompt', async () => /[$#]\s*$/.test((await console.screen()).trimEnd()))
  const found = await terminal(page)

  await page.keyboard.type(`clear; seq -f 'line %g of what a program writes while it works' ${LINES + 100}`)
  await page.keyboard.press('Enter')
  await eventually('all lines', async () => (await console.screen()).includes(`line ${LINES + 100} `))
  const attaches = []
  for (let time = 0; time < 9; time++) {
    await page.getByRole('radio', { name: 'Conversation' }).click()
    await page.locator('.xterm').waitFor({ state: 'detached' })
    attaches.push(await page.evaluate(async (last) => {
      const began = performance.now()
      ;[...document.querySelectorAll('[role=radio]')].find((tab) => tab.textContent.includes('Terminal')).click()
      const there = () => [...document.querySelectorAll('.xterm-rows > div')].some((row) => row.textContent.includes(last))
      while (!there()) await new Promise((done) => requestAnimationFrame(done))
      return performance.now() - began
    }, `line ${LINES + 100} `))
  }
  found.attach = at(0.5, attaches)
  await person.context.close()
  return found
}

/** ttyd from the path, or where `scripts/ttyd.sh` built it. */
async function ttyd(browser, folder) {
  const program = execFileSync(resolve(import.meta.dirname, '../../../scripts/ttyd.sh'), { encoding: 'utf8' }).trim()
  if (!existsSync(program)) return null
  const child = spawn(program, ['--writable', '--port', '0', '--interface', 'lo', '--cwd', folder, '-t', 'rendererType=dom', '-t', 'fontSize=13', '-t', 'disableLeaveAlert=true', '/bin/sh'], { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: '/usr/bin:/bin', TERM: 'xterm-256color', LANG: 'C.UTF-8' } })
  try {
    const port = await new Promise((answer, refuse) => {
      let said = ''
      child.once('exit', () => refuse(new Error(`ttyd ended: ${said}`)))
      child.stderr.on('data', (text) => {
        said += text
        const found = /port: (\d+)/i.exec(said)
        if (found) answer(found[1])
      })
    })
    const person = await browser.person()
    const page = await person.tab(`http://127.0.0.1:${port}`)
    await page.locator('.xterm-rows').getByText(/[$#]/).first().waitFor()
    await page.locator('.xterm-screen').click()
    const found = await terminal(page)
    await person.context.close()
    return found
  } finally {
    child.kill('SIGKILL')
  }
}

async function list(browser) {
  const names = Array.from({ length: REPOS }, (_, at) => `repo-${at}`)
  const world = await World.start({})
  try {
    for (const name of names) {
      execFileSync('mkdir', [world.repo(name)])
      await fetch(`${world.origin}/api/repos`, { method: 'POST', headers: { Authorization: `Bearer ${world.token()}`, Origin: world.origin, 'Content-Type': 'application/json' }, body: JSON.stringify({ path: world.repo(name) }) })
    }
    const spans = []
    for (let time = 0; time < LISTS; time++) {
      const began = performance.now()
      const answer = await fetch(`${world.origin}/api/repos`, { headers: { Authorization: `Bearer ${world.token()}` } })
      await answer.arrayBuffer()
      spans.push(performance.now() - began)
    }
    print(`list of ${REPOS} repos, p99 over HTTP`, ms(at(0.99, spans)), '< 5 ms')
    const person = await browser.person({ viewport: NARROW })
    const page = await person.tab(await world.link())
    await page.getByText('repo-999', { exact: true }).waitFor({ state: 'attached' })
    const frames = await page.evaluate(async () => {
      const nav = document.querySelector('nav')
      const frames = []
      let last = await new Promise((done) => requestAnimationFrame(done))
      while (nav.scrollTop + nav.clientHeight < nav.scrollHeight - 1 && frames.length < 600) {
        nav.scrollTop += 200
        const now = await new Promise((done) => requestAnimationFrame(done))
        frames.push(now - last)
        last = now
      }
      return frames
    })
    print('  a frame while it is scrolled, p95', ms(at(0.95, frames)), '16.7 ms')
    await person.context.close()
  } finally {
    await world.end()
  }
}

const browser = await Browser.open()
const world = await World.start({ repos: ['box'], add: false })
try {
  material(world.repo('box'))
  const beside = await ttyd(browser, world.repo('box'))
  const found = await ours(browser, world)
  const ratio = (a, b) => (beside ? `${(a / b).toFixed(1)} x` : '-')
  print('terminal, plain output to a drained page', found.plain, '-')
  print('  ttyd', beside?.plain ?? 'skipped', '-')
  print('  ratio', beside ? ratio(beside.plainSpan, found.plainSpan) : '-', '>= 2 x')
  print('terminal, colour-dense output to a drained page', found.dense, '-')
  print('  ttyd', beside?.dense ?? 'skipped', '-')
  print('  ratio', beside ? ratio(beside.denseSpan, found.denseSpan) : '-', '>= 2 x')
  print('terminal, echo p50', ms(found.echo), beside ? `<= ${ms(beside.echo)}` : '-')
  print(`attach with ${LINES} lines, first paint`, ms(found.attach), '< 100 ms')
  await list(browser)
} finally {
  rmSync(world.repo('box'), { recursive: true, force: true })
  await world.end()
  await browser.close()
}
