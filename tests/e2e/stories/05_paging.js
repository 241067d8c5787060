import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { Page } from '../support/page.js'
import { story } from '../support/story.js'
import { grow } from '../support/transcript.js'
import { eventually } from '../support/wait.js'

/** How far the end of the conversation is below what is in view, in pixels. */
const left = (console) => console.conversation.evaluate((region) => region.scrollHeight - region.scrollTop - region.clientHeight)

const LONG = { repos: ['shop'], add: false }

/** A repo with a conversation of several pages, looked at. How many turns it has. */
async function long(world, page) {
  world.used('shop', 'MD{The seed.}')
  const { turns } = grow(world.transcripts('shop'), 16e6)
  await world.add('shop')
  const console = new Page(page)
  await console.open('shop')
  await console.said('Agent', `Answer ${turns}.`).waitFor()
  return { console, turns }
}

/** How far below the top of the conversation this stands, in pixels. */
const topOf = (console, text) => console.conversation.getByText(text, { exact: true }).evaluate((one) => one.getBoundingClientRect().top - one.closest('[role=region]').getBoundingClientRect().top)

story('5 what is looked at stays where it is when earlier pages come, also to who scrolls on meanwhile', LONG, async ({ world, page }) => {
  const { console, turns } = await long(world, page)
  let go = () => undefined
  const gate = new Promise((done) => (go = done))
  let held = 0
  await page.route('**/conversation?*before=*', async (route) => {
    held++
    await gate
    await route.continue()
  })
  await console.conversation.press('Home')
  await eventually('a page to be asked for', () => held > 0)
  await console.conversation.evaluate((region) => region.scrollTo({ top: 700 }))
  const seen = await console.conversation.locator('article .bubble').evaluateAll((all) => all.find((one) => one.getBoundingClientRect().top > 200).textContent)
  const before = await topOf(console, seen)
  go()
  await eventually('it to be there', () => console.conversation.getByText(`Question ${turns - 60} of many`, { exact: true }).count())
  const after = await topOf(console, seen)
  assert.ok(Math.abs(after - before) < 4, `${seen} stood at ${before} and stands at ${after}`)
})

story('5 whoever leaves on the way to what is looked for has left', { ...LONG, repos: ['shop', 'site'] }, async ({ world, page }) => {
  const { console } = await long(world, page)
  await world.add('site')
  let warned = 0
  page.on('console', (line) => line.type() === 'warning' && warned++)
  let go = () => undefined
  const gate = new Promise((done) => (go = done))
  await page.keyboard.press('Control+f')
  const find = page.getByRole('textbox', { name: 'Find in the conversation' })
  await find.fill('Question 3 of many')
  await page.getByText('1 earlier', { exact: true }).waitFor()
  await page.route('**/conversation?*', async (route) => {
    await gate
    await route.continue()
  })
  await find.press('Enter')
  await page.getByText('going there…').waitFor()
  await console.open('site')
  go()
  await page.unrouteAll({ behavior: 'wait' })
  await console.open('shop')
  await console.conversation.getByText('of many').first().waitFor()
  assert.equal(warned, 0)
})

story('5 its beginning is one press away, from there it goes on, and Latest leads back', LONG, async ({ world, page }) => {
  const { console, turns } = await long(world, page)
  await console.conversation.press('Home')
  await console.button('Beginning').click()
  await console.conversation.getByText('Question 1 of many', { exact: true }).waitFor()
  await console.conversation.getByText('Beginning of the conversation').waitFor()
  assert.equal(await console.said('Agent', `Answer ${turns}.`).count(), 0)
  await eventually('it to go on', async () => {
    await console.conversation.evaluate((region) => region.scrollTo({ top: region.scrollHeight }))
    return console.conversation.getByText('Question 20 of many', { exact: true }).count()
  })
  // Nothing is left out in between.
  const numbers = await console.conversation.locator('article .bubble').evaluateAll((all) => all.map((one) => Number(/Question (\d+) of/.exec(one.textContent)?.[1])).filter(Boolean))
  assert.deepEqual(numbers, numbers.map((_, at) => at + 1))
  await console.button('Latest').click()
  await console.said('Agent', `Answer ${turns}.`).waitFor()
  await console.ask('MD{Still here.}')
  await console.answer('Still here.')
})

story('5 a conversation whose pages cannot be read says so, with another try', LONG, async ({ world, page }) => {
  world.used('shop', 'MD{The seed.}')
  await world.add('shop')
  const console = new Page(page)
  const error = { code: 'internal', title: 'A fault', message: 'It could not be read.', hints: [], severity: 'error' }
  await page.route('**/conversation?*', (route) => route.fulfill({ status: 503, json: { error } }))
  await console.open('shop')
  await page.getByText('It could not be read.').waitFor()
  await page.unroute('**/conversation?*')
  await console.button('Try again').click()
  await console.said('Agent', 'The seed.').waitFor()
  await page.getByText('It could not be read.').waitFor({ state: 'detached' })
})

story('5 the end stays in view whatever moves it, until somebody scrolls up; scrolling down leads back', LONG, async ({ world, page }) => {
  const { console } = await long(world, page)
  const atEnd = (why) => eventually(why, async () => (await left(console)) < 4)
  /** A turn that says something long and waits for a file. */
  const grows = async (text) => {
    world.pipe('shop', text)
    await console.ask(`SAY{${Array.from({ length: 30 }, (_, at) => `${text} ${at}.`).join('\n\n')}} RUN{cat ${text}} and?`)
    await console.answer(`${text} 29.`)
  }
  /** Also once everything that is drawn has been. */
  const stays = async (least, where) => {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    assert.ok((await left(console)) > least, `it stays ${where}`)
  }
  const ends = (text) => writeFileSync(`${world.repo('shop')}/${text}`, 'so\n')

  // What is at the end shrinks and grows within one frame, as when a card takes the place of another.
  await console.conversation.evaluate((region) => {
    const last = [...region.firstElementChild.children].slice(-6)
    for (const block of last) block.style.display = 'none'
    region.scrollTo({ top: region.scrollHeight })
    for (const block of last) block.style.display = ''
  })
  await atEnd('the end to be in view again')
  await grows('one')
  await atEnd('the answer to be in view')
  assert.equal(await console.button('Latest').count(), 0)

  // Somebody scrolls up a little, and what is added then pulls nobody along.
  await console.conversation.hover()
  await page.mouse.wheel(0, -30)
  await console.button('Latest').waitFor()
  ends('one')
  await console.said('Agent', 'Reply').last().waitFor({ state: 'attached' })
  await console.state('shop', 'ready')
  await stays(4, 'where somebody put it')
  await page.mouse.wheel(0, 5_000)
  await console.button('Latest').waitFor({ state: 'detached' })
  await grows('two')
  await atEnd('the answer to be in view')

  await console.conversation.press('PageUp')
  await console.button('Latest').waitFor()
  const before = await console.said('Agent', 'Reply').count()
  ends('two')
  await eventually('the reply to be in the page', async () => (await console.said('Agent', 'Reply').count()) > before)
  await console.state('shop', 'ready')
  await stays(80, 'where the key put it')
  await console.conversation.press('End')
  await console.button('Latest').waitFor({ state: 'detached' })
  await atEnd('the end to be in view')
})
