// Fails the build when the page has grown beyond what it may weigh. Sizes are of the minified files,
// uncompressed: they come over the loopback, and what costs is parsing.
import { readFileSync, readdirSync, statSync } from 'node:fs'

const KB = 1000
/** What a browser must have before anything shows. */
const INITIAL_MAX = 120 * KB
/** xterm.js and its addons, loaded when a terminal is first looked at. */
const TERMINAL_MAX = 520 * KB

const dist = new URL('../dist/', import.meta.url)
const html = readFileSync(new URL('index.html', dist), 'utf8')
const initial = new Set([...html.matchAll(/(?:src|href)="\/?(assets\/[^"]+\.js)"/g)].map((found) => found[1]))
const scripts = readdirSync(new URL('assets/', dist)).filter((name) => name.endsWith('.js'))
const size = (name) => statSync(new URL(name, dist)).size

const sum = (names) => names.reduce((total, name) => total + size(name), 0)
const first = sum([...initial])
const terminal = sum(scripts.filter((name) => /^(screen|addon)/i.test(name)).map((name) => `assets/${name}`))

const report = (what, bytes, max) => {
  console.log(`${what}: ${(bytes / KB).toFixed(1)} kB of ${max / KB} kB`)
  return bytes <= max
}
const fits = [report('initial', first, INITIAL_MAX), report('terminal', terminal, TERMINAL_MAX)]
if (first === 0 || terminal === 0) throw new Error('the budget measured nothing: do the file names still fit?')
if (/<script(?![^>]*\bsrc=)/.test(html)) throw new Error('index.html has an inline script, which the policy forbids')
if (fits.includes(false)) process.exit(1)
