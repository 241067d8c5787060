import assert from 'node:assert/strict'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { Page } from '../support/page.js'
import { story } from '../support/story.js'
import { eventually } from '../support/wait.js'

story('7 whatever would lose work names it and asks first: Start fresh, Remove, Stop, Fork, an earlier conversation', { repos: ['shop'] }, async ({ world, page }) => {
  const console = new Page(page)
  await world.ok('ask', 'shop', 'MD{The first one.}')
  await world.ok('fresh', 'shop')
  await world.ok('ask', 'shop', 'MD{The second one.}')
  await console.open('shop')
  await console.ask('HOLD{w} think hard')
  await console.state('shop', 'working')
  await console.said('You', 'think hard').waitFor()
  const doubt = console.dialog('Work would be lost')
  const left = async () => {
    await doubt.getByText(/turn/).first().waitFor()
    await doubt.getByRole('button', { name: 'Leave it running' }).click()
    await doubt.waitFor({ state: 'detached' })
    assert.equal((await world.ok('status', 'shop')).state, 'working')
  }
  await console.more('Start fresh…')
  await console.dialog('Start fresh in shop?').getByRole('button', { name: 'Start fresh' }).click()
  await left()
  await console.more('Remove…')
  await console.dialog('Remove shop from Repose?').getByRole('button', { name: 'Remove' }).click()
  await left()
  await console.more('Stop')
  await left()
  await console.more('Fork: go on with a copy')
  await doubt.getByRole('button', { name: 'Stop and fork' }).waitFor()
  await left()
  await console.more('Earlier conversations…')
  await console.dialog('Conversations in shop').getByRole('button', { name: 'Continue' }).click()
  await doubt.getByText(/turn/).first().waitFor()
  await doubt.getByRole('button', { name: 'Stop and continue that one' }).click()
  await console.said('Agent', 'The first one.').waitFor()
  await console.state('shop', 'ready')
  await console.statement(/^Picked up/).waitFor()
})

story('7 Stop names what is queued before it lets go of it', { repos: ['shop'] }, async ({ world, page }) => {
  const console = new Page(page)
  await world.ok('ask', 'shop', 'MD{Here.}')
  await world.ok('pause', 'shop')
  await world.ok('ask', 'shop', 'for later', '--queue', '--no-wait')
  await console.open('shop')
  await page.getByText('1 queued for then.').waitFor()
  await console.more('Stop')
  const doubt = console.dialog('Work would be lost')
  await doubt.getByText(/ask/).first().waitFor()
  await doubt.getByRole('button', { name: 'Drop it and stop' }).click()
  await console.state('shop', 'asleep')
  assert.equal((await world.ok('status', 'shop')).queued, 0)
})

story('7 what could not be resumed is not paused: Stop is offered', { repos: ['shop'] }, async ({ page }) => {
  const console = new Page(page)
  await console.open('shop')
  await page.getByRole('radio', { name: 'Terminal' }).click()
  await console.button('Open it').click()
  await console.state('shop', 'ready')
  await console.button('Pause').click()
  const refused = page.locator('main').getByRole('status').filter({ has: page.getByRole('button', { name: 'Stop', exact: true }) })
  await refused.getByRole('button', { name: 'Stop', exact: true }).click()
  await console.state('shop', 'asleep')
})

/** Makes the only transcript of a repo say that its context has so many tokens. */
function weigh(folder, tokens) {
  const path = `${folder}/${readdirSync(folder).find((name) => name.endsWith('.jsonl'))}`
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line))
  for (const line of lines) if (line.message?.usage) line.message.usage.input_tokens = tokens
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
}

story('7 the size of a large conversation is said before it is taken up: by an ask, by Resume, by Continue', { repos: ['shop'], add: false }, async ({ world, page }) => {
  const console = new Page(page)
  world.used('shop', 'MD{A large one.}')
  weigh(world.transcripts('shop'), 80_000)
  await world.add('shop')
  await console.open('shop')
  await page.getByText('Picking its conversation up reads 80k tokens again.').waitFor()
  await world.ok('ask', 'shop', 'MD{And on.}')
  weigh(world.transcripts('shop'), 90_000)
  await world.ok('pause', 'shop')
  await page.getByText('Its conversation has 90k tokens to read again.').waitFor()
  await world.ok('fresh', 'shop')
  await console.more('Earlier conversations…')
  await console.dialog('Conversations in shop').getByText(/90k tokens/).waitFor()
})

story('7 open elsewhere: Start fresh says what is let go of, and who waits can stop waiting', { repos: ['late'], add: false }, async ({ world, page }) => {
  world.used('late', 'MD{From before.}')
  await world.add('late')
  const { conversation } = await world.ok('status', 'late')
  world.elsewhere('late', '--resume', conversation.id)
  const console = new Page(page)
  await console.open('late')
  await page.getByText(/This conversation is open in/).waitFor()
  await console.button('Open when it is closed there').click()
  await page.getByText('It opens here as soon as it is closed there.').waitFor()
  await console.button('Don\'t wait').click()
  await console.button('Open when it is closed there').waitFor()
  await console.button('Start fresh…').click()
  const fresh = console.dialog('Start fresh in late?')
  await fresh.getByText(/1 turn/).waitFor()
  await fresh.getByRole('button', { name: 'Start fresh' }).click()
  await console.state('late', 'ready')
  await console.statement('Started fresh: you asked for a fresh start.').waitFor()
  await eventually('another conversation', async () => (await world.ok('status', 'late')).conversation?.id !== conversation.id)
})
