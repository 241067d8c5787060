// What the page costs: a long list, and a terminal compared with ttyd's. Nothing here fails on a slow machine; it is
// for a person to read. Both terminals draw with xterm.js in the same browser, at the same size, in the same run.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { createInterface } from 'node:readline'
import { Browser, NARROW } from '../support/browser.js'
import { shell } from '../support/shell.js'
import { eventually } from '../support/wait.js'
import { World } from '../support/world.js'

const MB = 1e6
/** The bytes to write through a terminal: seconds of output, and far more than any queue holds. */
const BYTES = { plain: 8 * MB, dense: 2 * MB }
/** Far longer than that takes on a slow machine, in milliseconds. */
const LONGEST = 300_000
const KEYS = 61
const LINES = 10_000
const ATTACHES = 9
const REPOS = 1_000
/** How many are added at a time. */
const AT_ONCE = 10
const LISTS = 400
/** The first ones aren't counted: they compile what measures. */
const LISTS_FIRST = 100
/** How many pixels to scroll per frame. */
const STRIDE = 200

const print = (what, measured, budget = '-') => console.log(`${what.padEnd(54)} ${measured.padStart(12)} ${budget.padStart(12)}`)
const ms = (span) => `${span.toFixed(1)} ms`
const at = (share, numbers) => numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))]
const rate = (kind, span) => `${(BYTES[kind] / MB / (span / 1_000)).toFixed(1)} MB/s`

/** What both terminals show: plain lines, and cells that each have their own colour. */
function material(folder) {
  const line = 'a line of what a program writes while it works, of some eighty characters. 0123\n'
  writeFileSync(`${folder}/plain`, line.repeat(BYTES.plain / line.length))
  const cell = (_, at) => `\x1b[38;2;${at % 256};${(at * 7) % 256};120m#${at % 80 === 79 ? '\n' : ''}`
  const dense = `${Array.from({ length: 800 }, cell).join('')}\x1b[0m`
  writeFileSync(`${folder}/dense`, dense.repeat(BYTES.dense / dense.length))
}

/** Milliseconds that the terminal in `page`, at a shell's prompt beside the material, takes for each kind and for a key. */
async function terminal(page) {
  const row = (text) => page.waitForFunction((text) => [...document.querySelectorAll('.xterm-rows > div')].some((row) => row.textContent.trim() === text), text, { polling: 'raf', timeout: LONGEST })
  const line = async (text) => {
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }
  const spans = {}
  for (const kind of Object.keys(BYTES)) {
    await page.keyboard.type(`clear; cat ${kind}; echo; echo over-$((6*7))-${kind}`)
    const began = performance.now()
    await page.keyboard.press('Enter')
    await row(`over-42-${kind}`)
    spans[kind] = performance.now() - began
  }
  await line('clear; cat > /dev/null')
  // From the key to the letter, as seen by the page.
  await page.evaluate(() => {
    globalThis.echoes = []
    let pressed = 0
    addEventListener('keydown', () => (pressed = performance.now()), true)
    new MutationObserver(() => {
      if (pressed > 0) globalThis.echoes.push(performance.now() - pressed)
      pressed = 0
    }).observe(document.querySelector('.xterm-rows'), { subtree: true, childList: true, characterData: true })
  })
  for (let key = 1; key <= KEYS; key++) {
    await page.keyboard.press('x')
    await page.waitForFunction((key) => globalThis.echoes.length >= key, key, { polling: 'raf' })
  }
  spans.echo = at(0.5, await page.evaluate(() => globalThis.echoes))
  await page.keyboard.press('Control+c')
  return spans
}

/** Repose's terminal, and how long it takes to show its content again, with all stored lines. */
async function ours(browser, world) {
  const person = await browser.person()
  const page = await person.tab(await world.link())
  const console = await shell(world, page)
  const spans = await terminal(page)
  const last = `line ${LINES + 100} `
  await page.keyboard.type(`clear; seq -f 'line %g of what a program writes while it works' ${LINES + 100}`)
  await page.keyboard.press('Enter')
  await eventually('all lines', async () => (await console.screen()).includes(last))
  const attaches = []
  for (let time = 0; time < ATTACHES; time++) {
    await page.evaluate(() => {
      globalThis.was = location.hash
      location.hash = '#/settings'
    })
    await page.locator('.xterm').waitFor({ state: 'detached' })
    attaches.push(await page.evaluate(async (last) => {
      const began = performance.now()
      const shown = () => [...document.querySelectorAll('.xterm-rows > div')].some((row) => row.textContent.includes(last))
      location.hash = globalThis.was
      while (!shown()) await new Promise(requestAnimationFrame)
      return performance.now() - began
    }, last))
  }
  await person.context.close()
  return { ...spans, attach: at(0.5, attaches) }
}

/** The same through ttyd. `null`: it isn't on the path. */
async function ttyd(browser, folder) {
  const args = ['--writable', '--port', '0', '--interface', 'lo', '--cwd', folder, '-t', 'rendererType=dom', '-t', 'disableLeaveAlert=true', '/bin/sh']
  const child = spawn('ttyd', args, { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env.PATH, HOME: folder, TERM: 'xterm-256color', LANG: 'C.UTF-8' } })
  const port = await new Promise((answer, refuse) => {
    child.once('error', (error) => (error.code === 'ENOENT' ? answer(null) : refuse(error)))
    child.once('exit', (code) => refuse(new Error(`ttyd ended with ${code}`)))
    createInterface({ input: child.stderr }).on('line', (line) => {
      const said = /port: (\d+)/i.exec(line)
      if (said) answer(said[1])
    })
  })
  if (port === null) return null
  try {
    const person = await browser.person()
    const page = await person.tab(`http://127.0.0.1:${port}`)
    await page.locator('.xterm-rows').getByText(/[$#]/).first().waitFor()
    await page.locator('.xterm-screen').click()
    const spans = await terminal(page)
    await person.context.close()
    return spans
  } finally {
    child.kill('SIGKILL')
  }
}

/** The whole answer over a persistent connection, like a page's. */
const got = (url, options) => new Promise((answer, refuse) => get(url, options, (response) => response.on('end', answer).resume()).on('error', refuse))

async function list(browser) {
  const world = await World.start()
  try {
    const headers = { Authorization: `Bearer ${world.token()}`, Origin: world.origin, 'Content-Type': 'application/json' }
    const add = async (repo) => {
      mkdirSync(world.repo(`repo-${repo}`))
      const body = JSON.stringify({ path: world.repo(`repo-${repo}`) })
      const answer = await fetch(`${world.origin}/api/repos`, { method: 'POST', headers, body })
      if (!answer.ok) throw new Error(await answer.text())
    }
    for (let repo = 0; repo < REPOS; repo += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, (_, more) => add(repo + more)))
    const agent = new Agent({ keepAlive: true })
    const spans = []
    for (let time = -LISTS_FIRST; time < LISTS; time++) {
      const began = performance.now()
      await got(`${world.origin}/api/repos`, { headers, agent })
      if (time >= 0) spans.push(performance.now() - began)
    }
    agent.destroy()
    print(`list of ${REPOS} repos over loopback, p99`, ms(at(0.99, spans)), '< 5 ms')
    const person = await browser.person({ viewport: NARROW })
    const page = await person.tab(await world.link())
    await page.getByText(`repo-${REPOS - 1}`, { exact: true }).waitFor({ state: 'attached' })
    const frames = await page.evaluate(async (stride) => {
      const list = document.querySelector('nav')
      const frames = []
      let last = await new Promise(requestAnimationFrame)
      while (list.scrollTop + list.clientHeight < list.scrollHeight - 1) {
        list.scrollTop += stride
        const now = await new Promise(requestAnimationFrame)
        frames.push(now - last)
        last = now
      }
      return frames
    }, STRIDE)
    print(`  a frame while all of it is scrolled (${frames.length}), p50`, ms(at(0.5, frames)), '16.7 ms')
    print('  p95', ms(at(0.95, frames)), '-')
    await person.context.close()
  } finally {
    await world.end()
  }
}

/** Prints ours, and theirs if there is one: `span` as text, and how many times faster ours is. */
function beside(what, ours, theirs, shown, budget) {
  print(what, shown(ours))
  print('  ttyd', theirs === undefined ? 'skipped' : shown(theirs))
  if (theirs !== undefined) print('  ratio, more is better', `${(theirs / ours).toFixed(2)} x`, budget)
}

const browser = await Browser.open()
const world = await World.start({ repos: ['box'], add: false })
try {
  await list(browser)
  material(world.repo('box'))
  const theirs = await ttyd(browser, world.repo('box'))
  if (theirs === null) console.log('ttyd: skipped, none is on the path and none is packaged here')
  const found = await ours(browser, world)
  beside('plain output to a drained page', found.plain, theirs?.plain, (span) => rate('plain', span), '>= 2 x')
  beside('colour-dense output to a drained page', found.dense, theirs?.dense, (span) => rate('dense', span), '>= 2 x')
  beside('echo of a key, p50', found.echo, theirs?.echo, ms, '>= 1 x')
  print(`attach with ${LINES} lines, first paint`, ms(found.attach), '< 100 ms')
} finally {
  await world.end()
  await browser.close()
}
