import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { wrongs } from '../support/axe.js'
import { Look } from '../support/look.js'
import { Page } from '../support/page.js'
import { story } from '../support/story.js'
import { eventually } from '../support/wait.js'

story('12 every corner, in all four looks: what is refused, gone, waited for or open elsewhere', { repos: ['gone', 'slow', 'asks', 'lost', 'late', 'box', 'used'], add: false }, async ({ world, person, browser, page }) => {
  const found = []
  const look = (on, name, act) => new Look(found, true).at(on, name, act)
  world.used('late', 'MD{From before.}')
  world.used('used', 'MD{In a terminal.}')
  const repos = await world.add('gone', 'slow', 'asks', 'lost', 'late')
  repos.push((await world.ok('add', world.repo('box'), '--engine', 'shell')).repo)
  const id = Object.fromEntries(repos.map((repo) => [repo.name, repo.id]))
  const console = new Page(page)
  const at = async (fragment) => {
    await page.goto('about:blank')
    await page.goto(`${world.origin}/#/${fragment}`)
  }
  const repo = (name, view = '') => at(`repo/${id[name]}${view}`)

  rmSync(world.repo('gone'), { recursive: true })
  await world.try('ask', 'gone', 'anybody?', '--no-wait')
  await look(page, 'offline', async () => {
    await repo('gone')
    await page.getByRole('heading', { level: 1, name: 'gone' }).waitFor()
    await console.state('gone', 'offline')
  })
  await world.ok('ask', 'asks', 'CHOICE{Which colour should it have?|Red|Blue|None}', '--no-wait')
  await look(page, 'choice', async () => {
    await repo('asks')
    await page.getByRole('button', { name: 'Blue' }).waitFor()
    // However little room there is: what the header takes to tell it hides it in the conversation.
    await eventually('the statement to be told once', async () => (await console.statements(/^Started fresh/).count()) === 1)
  })
  const owner = world.elsewhere('late', '--resume', (await world.ok('status', 'late')).conversation.id)
  await look(page, 'elsewhere', async () => {
    await repo('late')
    await page.getByText(/This conversation is open in/).waitFor()
  })
  owner.kill('SIGTERM')
  await look(page, 'folders', async () => {
    await at('add')
    await console.button('Add used').waitFor()
  })
  await look(page, 'settings-error', async () => {
    await at('settings')
    await page.getByLabel('Let go of idle agents after').fill('soon')
    await page.getByLabel('Let go of idle agents after').blur()
    await page.getByText(/Not saved: 6h stays in force/).waitFor()
  })
  await world.ok('ask', 'lost', 'MD{First.}')
  await repo('lost')
  await console.state('lost', 'ready')
  await console.ask('HOLD{never} and then')
  await console.state('lost', 'working')
  await console.said('You', 'and then').waitFor()
  const { sessions } = await (await fetch(`${world.origin}/api/diagnostics`, { headers: { Authorization: `Bearer ${world.token()}` } })).json()
  process.kill(sessions.find(({ name }) => name === 'lost').engine_pid, 'SIGKILL')
  await console.state('lost', 'asleep')
  await look(page, 'failed-ask', async () => {
    await repo('lost')
    await console.said('Not answered', /ended/).waitFor()
  })
  await repo('box')
  await console.button('Open it').click()
  await console.state('box', 'ready')
  await look(page, 'shell', async () => {
    await repo('box')
    await page.locator('.xterm-rows').getByText(/[$#]/).first().waitFor()
  })
  await look(page, 'terminal-find', async () => {
    await repo('box')
    await page.locator('.xterm-rows').getByText(/[$#]/).first().waitFor()
    await page.keyboard.press('Control+Shift+F')
    await page.getByRole('textbox', { name: 'Find in the terminal' }).fill('nothing like it')
  })
  await look(page, 'toast', async () => {
    await repo('lost')
    await console.more('Copy path')
    await page.locator('.toast').waitFor()
    await page.locator('.toast').hover()
  })
  await look(page, 'not-all', async () => {
    await at('')
    await console.button('All repos').click()
    await page.getByRole('menuitem', { name: 'Pause all' }).click()
    await console.dialog('Not all of it was done').waitFor()
  })
  await look(page, 'gate', async () => {
    await repo('slow')
    await page.locator('.composer').getByText(/nothing that sleeps opens until Resume all/i).waitFor()
  })
  await world.ok('resume', '--all')
  await look(page, 'unknown', async () => {
    await at('repo/none')
    await page.getByText("That repo isn't here any more.").waitFor()
  })
  const link = await world.link()
  await (await person.tab(link)).close()
  const stranger = await browser.person()
  const outside = await stranger.tab(link)
  await look(outside, 'used-link', () => outside.getByRole('heading', { name: 'This link was used already' }).waitFor())
  await stranger.context.close()
  world.script('claude', 'sleep 600')
  void world.try('ask', 'slow', 'are you there?', '--no-wait')
  await console.row('slow').waitFor()
  await console.state('slow', 'opening')
  await look(page, 'opening', async () => {
    await repo('slow')
    await console.header.getByText(/^Opening…/).waitFor()
  })
  assert.deepEqual(found, [])
})

/** Presses a key until what has the focus is called so. */
async function reach(page, name, key = 'Tab') {
  for (let at = 0; at < 80; at++) {
    const called = await page.evaluate(() => (document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim())
    if (called === name) return
    await page.keyboard.press(key)
  }
  assert.fail(`the focus never came to ${name}`)
}

story('12 decisions, dialogs, folds, settings and Resume by the keyboard', { repos: ['shop'] }, async ({ world, page }) => {
  const console = new Page(page)
  await console.open('shop')
  await console.ask('RUN{touch allowed}')
  await page.getByRole('region', { name: 'The agent waits for you' }).waitFor()
  await console.composer.focus()
  await reach(page, 'Allow', 'Shift+Tab')
  await page.keyboard.press('Enter')
  await console.answer('Reply 1')
  await world.wait('shop', 'the turn to be over', (status) => status.state === 'ready' && !status.holds.some((hold) => hold.kind === 'turn'))

  const tool = console.conversation.locator('details').first()
  await tool.locator('summary').first().focus()
  await page.keyboard.press('Enter')
  await eventually('it to be open', () => tool.evaluate((fold) => fold.open))

  await console.button('More').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem').first().and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  const fresh = console.dialog('Start fresh in shop?')
  await fresh.waitFor()
  await reach(page, 'Keep the conversation')
  await page.keyboard.press('Enter')
  await fresh.waitFor({ state: 'detached' })

  // What the menu has, the palette has.
  await page.keyboard.press('Control+k')
  await page.keyboard.type('earlier')
  await page.keyboard.press('Enter')
  await console.dialog('Conversations in shop').waitFor()
  await page.keyboard.press('Escape')
  await console.dialog('Conversations in shop').waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('pause')
  await page.keyboard.press('Enter')
  await console.state('shop', 'paused')
  await reach(page, 'Resume')
  await page.keyboard.press('Enter')
  await console.state('shop', 'ready')

  await page.keyboard.press('Control+k')
  await page.keyboard.type('settings')
  await page.keyboard.press('Enter')
  await page.getByRole('radio', { name: 'As the system' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('radio', { name: 'Light', checked: true }).and(page.locator(':focus')).waitFor()
})

story('12 at 200 % zoom every page is within reach', { repos: ['alpha', 'beta'], browser: { viewport: { width: 640, height: 410 }, deviceScaleFactor: 2 } }, async ({ world, page, repos }) => {
  const console = new Page(page)
  await world.ok('ask', 'beta', 'MD{An answer.}')
  const found = []
  const pages = {
    '': () => console.row('beta'),
    [`repo/${repos[0].id}`]: () => console.composer,
    [`repo/${repos[1].id}/terminal`]: () => page.locator('.xterm-rows').getByText('❯').first(),
    add: () => page.getByLabel('Path of the folder'),
    settings: () => page.getByLabel('Let go of idle agents after'),
    diagnostics: () => page.getByRole('heading', { name: '1 session' }),
  }
  for (const [fragment, there] of Object.entries(pages)) {
    await page.goto('about:blank')
    await page.goto(`${world.origin}/#/${fragment}`)
    await there().waitFor()
    found.push(...(await wrongs(page, fragment)))
  }
  for (const item of ['Start fresh…', 'Earlier conversations…', 'Engine…', 'Why is it awake?', 'Remove…']) {
    await page.goto('about:blank')
    await page.goto(`${world.origin}/#/repo/${repos[1].id}`)
    await console.more(item)
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    found.push(...(await wrongs(page, item)))
    const close = await dialog.getByRole('button', { name: 'Close' }).boundingBox()
    assert.ok(close.y >= 0 && close.y + close.height <= 410 && close.x + close.width <= 640, item)
  }
  assert.deepEqual(found, [])
})
