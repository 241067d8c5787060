import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { Look } from '../support/look.js'
import { Page } from '../support/page.js'
import { story } from '../support/story.js'

/** What is wrong with the screens so far: told all at once. */
const found = []
const look = (page, name, act) => new Look(found).at(page, name, act)

const ANSWER = `MD{The tax of an order is worked out in **one** place, \`src/tax.py\`:

\`\`\`python
def tax(order):
    """Tax of an order, rounded half up."""
    return sum(line.net * RATES[line.kind] for line in order)
\`\`\`

1. Rates are read once, at the start.
2. Rounding is done per line, not at the end.

| kind | rate |
| --- | --- |
| food | 7 % |
| other | 19 % |

> A refund goes the same way, with a minus.
}`

story('12 the first screen of all is an invitation', {}, async ({ page }) => {
  await look(page, 'empty', () => page.getByRole('heading', { name: 'Which repos do you work in?' }).waitFor())
  assert.deepEqual(found, [])
})

story('12 every screen, in light and dark, 1280 and 360 pixels wide', { repos: ['invoices', 'parser', 'site', 'weather', 'notes', 'atlas'] }, async ({ world, person, browser, page, repos }) => {
  const id = Object.fromEntries(repos.map((repo) => [repo.name, repo.id]))
  const console = new Page(page)
  const at = async (fragment) => {
    // From nothing: what was open before is gone.
    await page.goto('about:blank')
    await page.goto(`${world.origin}/#/${fragment}`)
  }
  const repo = (name, view = '') => at(`repo/${id[name]}${view}`)
  writeFileSync(`${world.repo('invoices')}/README`, 'orders and their tax\n')

  await repo('invoices')
  await look(page, 'nothing-said', () => repo('invoices'))
  await console.ask('RUN{cat README} What is in here?')
  await console.answer('Reply 1')
  await console.ask(`Where is the tax worked out?\n${ANSWER}`)
  await console.conversation.getByRole('cell', { name: '19 %' }).waitFor()
  await world.ok('ask', 'site', 'MD{The site is built with make.}')
  await world.ok('pause', 'site')
  await world.ok('ask', 'notes', 'MD{Nothing new.}')
  await world.ok('stop', 'notes')
  await world.ok('ask', 'parser', 'HOLD{long} find the slow rule', '--no-wait')
  await world.ok('ask', 'weather', 'RUN{touch forecast}', '--no-wait')
  await console.state('parser', 'working')
  await console.state('weather', 'waiting')
  await console.state('invoices', 'ready')
  await console.state('site', 'paused')

  await look(page, 'conversation', async () => {
    await repo('invoices')
    await console.conversation.locator('.hljs-keyword').first().waitFor()
  })
  await look(page, 'list', () => at(''))
  await look(page, 'working', async () => {
    await repo('parser')
    await console.said('You', 'find the slow rule').waitFor()
  })
  await look(page, 'waiting', async () => {
    await repo('weather')
    await page.getByRole('region', { name: 'The agent waits for you' }).waitFor()
  })
  await look(page, 'paused', async () => {
    await repo('site')
    await console.said('Agent', 'The site is built').waitFor()
  })
  await look(page, 'asleep', async () => {
    await repo('notes')
    await console.said('Agent', 'Nothing new.').waitFor()
  })
  await look(page, 'terminal', async () => {
    await repo('invoices', '/terminal')
    await page.locator('.xterm-rows').getByText('❯').first().waitFor()
  })
  await look(page, 'terminal-closed', async () => {
    await repo('atlas', '/terminal')
    await console.button('Open it').waitFor()
  })
  await look(page, 'menu', async () => {
    await repo('invoices')
    await console.button('More').click()
    await page.getByRole('menuitem', { name: 'Remove…' }).waitFor()
  })
  await look(page, 'why', async () => {
    await repo('parser')
    await console.more('Why is it awake?')
    await console.dialog('Why is parser awake?').waitFor()
  })
  await look(page, 'fresh', async () => {
    await repo('invoices')
    await console.more('Start fresh…')
    await console.dialog('Start fresh in invoices?').waitFor()
  })
  await look(page, 'remove', async () => {
    await repo('invoices')
    await console.more('Remove…')
    await console.dialog('Remove invoices from Repose?').waitFor()
  })
  await look(page, 'earlier', async () => {
    await repo('invoices')
    await console.more('Earlier conversations…')
    await console.dialog('Conversations in invoices').getByRole('button', { expanded: false }).first().click()
    await page.locator('.preview p').first().waitFor()
  })
  await look(page, 'doubt', async () => {
    await repo('parser')
    await console.button('Pause').click()
    await console.dialog('Work would be lost').waitFor()
  })
  await look(page, 'find', async () => {
    await repo('invoices')
    await console.said('Agent', 'The tax of an order').waitFor()
    await page.keyboard.press('Control+f')
    await page.getByRole('textbox', { name: 'Find in the conversation' }).fill('tax')
    await page.getByText(/^(\d+) of \1$/).waitFor()
  })
  await look(page, 'palette', async () => {
    await repo('invoices')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('pa')
  })
  await look(page, 'keys', async () => {
    await at('')
    await page.keyboard.press('?')
    await console.dialog('Keyboard').waitFor()
  })
  await look(page, 'settings', async () => {
    await at('settings')
    await page.getByLabel('Let go of idle agents after').waitFor()
  })
  await look(page, 'diagnostics', async () => {
    await at('diagnostics')
    await page.locator('ol').getByText(/Started fresh/).first().waitFor()
  })
  await look(page, 'add', async () => {
    await at('add')
    await page.getByLabel('Path of the folder').waitFor()
  })
  await look(page, 'refused', async () => {
    await at('add')
    await page.getByLabel('Path of the folder').fill('/nowhere/at/all')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').or(page.getByRole('status').filter({ hasText: '/nowhere' })).first().waitFor()
  })
  const stranger = await browser.person()
  const outside = await stranger.tab(world.origin)
  await look(outside, 'locked', () => outside.getByRole('heading', { name: 'This browser isn’t logged in' }).waitFor())
  await stranger.context.close()
  await repo('invoices')
  await console.composer.fill('A draft that stays')
  await world.stopServe()
  await look(page, 'gone', () => page.getByText("Repose doesn't answer.", { exact: true }).waitFor())
  await world.serve()
  await page.getByText("Repose doesn't answer.", { exact: true }).waitFor({ state: 'detached' })
  assert.deepEqual(found, [])
})

const LONG = 'a-repo-whose-name-somebody-made-up-from-every-word-of-it'
const WORD = 'a_word_without_any_place_to_break_it'.repeat(8)

story('12 long names and words are cut or broken, and push nothing out of reach', { repos: [LONG, 'b'] }, async ({ world, page, repos }) => {
  found.length = 0
  const console = new Page(page)
  execFileSync('git', ['checkout', '--quiet', '-b', `feature/${WORD.slice(0, 100)}`], { cwd: world.repo(LONG), env: world.env })
  await world.ok('ask', LONG, `MD{# ${WORD}\n\n${WORD} and \`${WORD}\`\n\n| ${WORD} | b |\n| --- | --- |\n| c | ${WORD} |} RUN{cat ${WORD}}`)
  await world.ok('ask', LONG, `MD{${WORD}}`)
  await world.ok('ask', LONG, `RUN{touch ${WORD}}`, '--no-wait')
  await console.state(LONG, 'waiting')
  await console.row(LONG).getByText('feature/a_word').waitFor()
  const asks = page.getByRole('region', { name: 'The agent waits for you' })
  await look(page, 'long-names', async () => {
    await page.goto(`${world.origin}/#/repo/${repos[0].id}`)
    await asks.getByRole('button', { name: 'Allow', exact: true }).waitFor()
    await console.composer.fill(`see ${WORD}`)
    const { width } = page.viewportSize()
    for (const control of [console.button('Pause'), console.button('More'), asks.getByRole('button', { name: 'Deny' }), console.composer, console.button('Send (Enter)')]) {
      const box = await control.boundingBox()
      assert.ok(box.x >= 0 && box.x + box.width <= width, JSON.stringify({ width, box }))
    }
  })
  await look(page, 'long-names-list', () => page.goto(`${world.origin}/#/`))
  await look(page, 'long-names-remove', async () => {
    await page.goto('about:blank')
    await page.goto(`${world.origin}/#/repo/${repos[0].id}`)
    await console.more('Remove…')
    await console.dialog(`Remove ${LONG} from Repose?`).waitFor()
  })
  assert.deepEqual(found, [])
})
