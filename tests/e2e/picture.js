// Makes the picture of the README, `docs/console.png`, of the page as it is served: `node
// tests/e2e/picture.js`.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Browser } from './support/browser.js'
import { Page } from './support/page.js'
import { World } from './support/world.js'

/** Shown in the picture, and made for it: nothing may be there before. */
const FOLDER = '/home/me'
const SIZE = { width: 1180, height: 760 }
const REPOS = ['shop', 'parser', 'weather', 'site', 'notes', 'atlas']

const TALK = [
  ['Where is the tax of an order worked out?', 'In one function, `tax` in `src/tax.py`. Rates are read once at the start, and each line is rounded by itself:\n\n```python\ndef tax(order):\n    """The tax of an order, each line rounded half up."""\n    return sum(rounded(line.net * RATES[line.kind]) for line in order)\n```\n\nSo the sum can differ by a cent from rounding the whole order.'],
  ['Then round the whole order instead, and say what changes for refunds.', 'Done: `tax` now rounds once, at the end.\n\n| | before | now |\n| --- | --- | --- |\n| order 2211 | 18.07 | 18.06 |\n| its refund | −18.07 | −18.06 |\n\nA refund takes the same way with a minus, so the two still cancel out. Both tests in `tests/test_tax.py` pass.'],
]

/** Puts these turns into the only conversation of a folder, which the engine made itself. */
function tell(folder, talk) {
  const path = join(folder, readdirSync(folder).find((name) => name.endsWith('.jsonl')))
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line))
  const asked = lines.filter((line) => line.type === 'user' && typeof line.message.content === 'string')
  const said = lines.filter((line) => line.type === 'assistant')
  for (const [turn, [question, answer]] of talk.entries()) {
    asked[turn].message.content = question
    said[turn].message.content = [{ type: 'text', text: answer }]
  }
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

if (existsSync(FOLDER)) throw new Error(`${FOLDER} is there already: the picture is made in a folder of its own`)
mkdirSync(FOLDER)
const browser = await Browser.open()
const world = await World.start({ repos: REPOS, folder: FOLDER })
try {
  world.used('shop', 'MD{one}')
  world.used('shop', 'MD{two}', '--continue')
  tell(world.transcripts('shop'), TALK)
  await world.add(...REPOS)
  await world.ok('resume', 'shop')
  await world.ok('ask', 'site', 'MD{Built.}')
  await world.ok('pause', 'site')
  await world.ok('ask', 'notes', 'MD{Nothing new.}')
  await world.ok('stop', 'notes')
  await world.ok('ask', 'weather', 'RUN{touch forecast.json}', '--no-wait')
  await world.ok('ask', 'parser', 'HOLD{long} find the slow rule', '--no-wait')
  const person = await browser.person({ viewport: SIZE, deviceScaleFactor: 1.5 })
  const page = await person.tab(await world.link())
  const console = new Page(page)
  await console.state('weather', 'waiting')
  await console.state('parser', 'working')
  await console.open('shop')
  await console.conversation.locator('.hljs-keyword').first().waitFor()
  await page.mouse.move(SIZE.width - 1, SIZE.height / 2)
  await page.screenshot({ path: resolve(import.meta.dirname, '../../docs/console.png') })
  await person.context.close()
} finally {
  await world.end()
  await browser.close()
}
