import assert from 'node:assert/strict'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { NARROW, shot } from '../support/browser.js'
import { Page } from '../support/page.js'
import { story } from '../support/story.js'
import { eventually } from '../support/wait.js'

const BEFORE = { repos: ['early', 'gone', 'late'], add: false }

story('2 an empty page invites: by a path, or one of the folders in which an agent was used, newest first', BEFORE, async ({ world, page }) => {
  for (const name of BEFORE.repos) world.used(name, `MD{From ${name}.}`)
  rmSync(world.repo('gone'), { recursive: true })
  await page.reload()
  const console = new Page(page)
  await page.getByRole('heading', { name: 'Which repos do you work in?' }).waitFor()
  await page.getByRole('heading', { name: 'Used before with an agent' }).waitFor()
  const names = await page.locator('section li .name').allTextContents()
  assert.deepEqual(names.map((text) => text.trim().split(/\s/)[0]), ['late', 'early'])
  assert.match(await page.locator('section li').first().innerText(), /MD\{From late\.\}[\s\S]*claude · just now · 1 turn/)

  await console.button('Add late').click()
  await page.getByRole('heading', { level: 1, name: 'late' }).waitFor()
  await console.said('Agent', 'From late.').waitFor()
  assert.equal((await world.ok('status', 'late')).state, 'asleep', 'adding opens nothing')
  await console.ask('and now?')
  await console.answer('and now?')
  await console.conversation.getByText(/^Picked up this repo's previous conversation/).waitFor()
  // It is no news any more.
  await console.state('late', 'ready')
  await console.header.getByText(/^Picked up/).waitFor({ state: 'detached' })

  // By a path, as it is pasted; what can't be added says why, where it was typed.
  await console.button('Add a repo').click()
  const path = page.getByLabel('Path of the folder')
  await path.fill(`${world.repo('late')}-not`)
  await path.press('Enter')
  await page.getByText(`No such folder. The folder ${world.repo('late')}-not can't be added: it isn't there.`).waitFor()
  assert.equal(await path.inputValue(), `${world.repo('late')}-not`)
  await path.fill('late')
  await path.press('Enter')
  await page.getByText(/^Only a part of a path\. Write all of it: from the root/).waitFor()
  // What holds everything is asked about first.
  await path.fill('/')
  await path.press('Enter')
  await page.getByText('That is the whole machine: its agent would look at, and could change, everything in it.').waitFor()
  await console.button('Add it all the same').waitFor()
  await shot(page, 'add-root')
  assert.equal((await world.ok('ls')).repos.length, 1)
  await path.fill(world.repo('late'))
  assert.equal(await console.button('Add it all the same').count(), 0)
  await page.getByText(/-not can't be added/).waitFor({ state: 'detached' })
  await path.press('Enter')
  await page.getByText('This folder was added before, as late.').waitFor()
  await console.button('Go to late').click()
  await page.getByRole('heading', { level: 1, name: 'late' }).waitFor()
  await console.button('Add a repo').click()
  await path.fill(`${world.path('repos')}/ea`)
  await eventually('the folder to be completed', () => page.locator('datalist option').evaluateAll((all, want) => all.some((option) => option.value.startsWith(want)), world.repo('early')))
  await path.fill(` '${world.repo('early')}/' `)
  await path.press('Enter')
  await console.said('Agent', 'From early.').waitFor()
})

const LONG = 'a-repo-whose-name-somebody-made-up-from-every-word-of-it-and-then-some-more-of-them'

story('2 a long path is cut or broken, and makes nothing wider than the page', { repos: [LONG], add: false }, async ({ world, page }) => {
  world.used(LONG, `MD{${LONG}}`)
  const far = world.path(`${'a-long-way/'.repeat(12)}engine`)
  mkdirSync(dirname(far), { recursive: true })
  symlinkSync('/usr/bin/env', far)
  writeFileSync(world.path('repose/config.toml'), `[engines.far]\ncommand = "${far}"\n`)
  await page.setViewportSize(NARROW)
  await eventually('the engine to be listed', async () => {
    await page.reload()
    await page.getByText('Claude Code').last().waitFor()
    return (await page.getByText(far).count()) > 0
  })
  await page.getByText('Used before with an agent').waitFor()
  const path = page.getByLabel('Path of the folder')
  await path.fill(`/${'long'.repeat(60)}`)
  await path.press('Enter')
  await page.getByText('No such folder.').waitFor()
  const { scrollWidth, clientWidth } = await page.locator('main section').first().evaluate(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))
  assert.equal(scrollWidth, clientWidth)
})

story('2 still open in a terminal: the repo names it, and goes on once it is closed there', BEFORE, async ({ world, page }) => {
  world.used('late', 'MD{From before.}')
  const late = async () => {
    const { folders } = await page.evaluate(async () => (await fetch('/api/folders')).json())
    return folders.find((folder) => folder.name === 'late')
  }
  const terminal = world.elsewhere('late', '--resume', (await late()).conversation.id)
  const folder = await eventually('the folder to be open there', async () => ((await late()).owner ? late() : null))
  await page.reload()
  const console = new Page(page)
  await page.getByText(`Open now in another program (pid ${folder.owner.pid} in ${folder.owner.terminal})`).waitFor()
  await console.button('Add late').click()
  await page.getByText(`This conversation is open in another program (pid ${folder.owner.pid} in ${folder.owner.terminal}).`).waitFor()
  await console.ask('MD{Mine now.}')
  // It opened nothing, says why with what can be done, and keeps the words.
  await page.getByText('Two programs on one conversation would mix it up').waitFor()
  assert.equal(await page.getByText(/ask again\.$/).count(), 0, 'a button below asks again by itself')
  const kept = console.said('You, not answered', 'MD{Mine now.}')
  await kept.getByText('Not sent').waitFor()
  await kept.getByRole('button', { name: 'Ask again' }).waitFor()
  await kept.getByRole('button', { name: 'Dismiss' }).waitFor()
  await console.said('You, not taken up yet', '').waitFor({ state: 'detached' })
  await console.button('Start fresh…').waitFor()
  await console.button('Fork here').waitFor()
  assert.equal((await world.ok('status', 'late')).state, 'asleep')
  await console.row('late').getByText(`open elsewhere (pid ${folder.owner.pid}`).waitFor()

  await console.button('Open when it is closed there').click()
  await page.getByText('It opens here as soon as it is closed there.').waitFor()
  // What wasn't sent goes along, and so does what is asked from now on.
  await kept.waitFor({ state: 'detached' })
  await console.said('You, not taken up yet', 'MD{Mine now.}').getByText('It is sent once its conversation is closed elsewhere.').waitFor()
  await console.ask('MD{And this.}')
  await console.said('You, not taken up yet', 'MD{And this.}').waitFor()
  process.kill(folder.owner.pid, 'SIGTERM')
  await new Promise((done) => (terminal.exitCode === null ? terminal.once('exit', done) : done()))
  await console.state('late', 'ready')
  await page.getByText(/This conversation is open in/).waitFor({ state: 'detached' })
  assert.equal(await page.getByText('Two programs on one conversation would mix it up').count(), 0)
  await console.answer('Mine now.')
  await console.answer('And this.')
  await console.conversation.getByText(/^Picked up this repo's previous conversation/).waitFor()
})

story('2 still open in a terminal: a copy goes on here', BEFORE, async ({ world, page }) => {
  world.used('late', 'MD{From before.}')
  await world.add('late')
  const { conversation } = await world.ok('status', 'late')
  world.elsewhere('late', '--resume', conversation.id)
  const console = new Page(page)
  await console.open('late')
  await page.getByText(/This conversation is open in/).waitFor()
  await console.button('Fork here').click()
  await console.state('late', 'ready')
  await page.getByText('The copy begins with your next question.').waitFor()
  await console.ask('MD{In the copy.}')
  await console.answer('In the copy.')
  await console.said('Agent', 'From before.').waitFor()
  assert.notEqual((await world.ok('status', 'late')).conversation.id, conversation.id)
})

const MOVED = { repos: ['shop', 'new/shop'], add: false }

story('2 a folder that was moved: its conversation is offered, and goes on as a copy', MOVED, async ({ world, page }) => {
  world.used('shop', 'MD{From where it was.}')
  rmSync(world.repo('shop'), { recursive: true })
  const console = new Page(page)
  const path = page.getByLabel('Path of the folder')
  await path.fill(world.repo('new/shop'))
  await path.press('Enter')
  await page.getByText(`If it was ${world.repo('shop')} before`).waitFor()
  await console.more('Earlier conversations…')
  const earlier = console.dialog('Conversations in shop')
  await earlier.getByText(`of ${world.repo('shop')}, which is gone`).waitFor()
  await earlier.getByRole('button', { name: 'Continue a copy' }).click()
  await console.statement(/^Picked up this repo's previous conversation as a copy/).waitFor()
  await console.ask('and now?')
  await console.answer('and now?')
  await console.said('Agent', 'From where it was.').waitFor()
})
