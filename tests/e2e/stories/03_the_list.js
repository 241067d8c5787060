import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import { NARROW, shot } from '../support/browser.js'
import { Page } from '../support/page.js'
import { story } from '../support/story.js'
import { eventually } from '../support/wait.js'

story('3 the list: live on top, paused right under, asleep below, each row with its facts', { repos: ['alpha', 'beta', 'gamma', 'delta'] }, async ({ world, page }) => {
  await world.ok('ask', 'gamma', 'MD{The third one.}')
  await world.ok('ask', 'beta', 'MD{The second one.}')
  const paused = await world.ok('pause', 'beta')
  const console = new Page(page)
  await console.state('gamma', 'ready')
  await console.state('beta', 'paused')

  const order = await page.locator('nav h2, nav a[data-repo] .name').allTextContents()
  assert.deepEqual(order.map((text) => text.replace(/\s+/g, ' ').trim()), ['Live 1', 'gamma', 'Paused 1', 'beta', 'Asleep 2', 'alpha', 'delta'])

  // Memory and context are read a moment after the turn.
  const gamma = await eventually('its facts', async () => {
    const text = await console.row('gamma').innerText()
    return /\d+ MB/.test(text) && /\d(\.\d)?k/.test(text) ? text : null
  })
  assert.match(gamma, /answered just now/i)
  assert.match(gamma, /\d+ MB/, 'memory')
  assert.match(gamma, /\d(\.\d)?k/, 'tokens of context')
  assert.match(gamma, /main/, 'branch')
  const freed = `${Math.round(paused.freed_bytes / 1e6)} MB`
  assert.ok((await console.row('beta').innerText()).includes(freed), `freed ${freed}: ${await console.row('beta').innerText()}`)
  // A word for each glyph, and neither stop sign nor error: calm blue.
  assert.equal(await console.row('beta').locator('.unseen').innerText(), 'paused')
  const colour = await console.row('beta').locator('svg').first().evaluate((svg) => getComputedStyle(svg).color)
  assert.equal(colour, 'rgb(35, 95, 141)')

  const filter = page.getByRole('textbox', { name: 'Filter repos' })
  await filter.fill('elta')
  await console.row('alpha').waitFor({ state: 'detached' })
  assert.equal(await page.locator('nav a[data-repo]').count(), 1)
  await filter.fill('nothing like it')
  await page.getByText('Nothing fits “nothing like it”.').waitFor()
  await filter.press('Escape')
  await console.row('alpha').waitFor()
  await page.getByTitle('Show only paused').click()
  await console.row('alpha').waitFor({ state: 'detached' })
  assert.equal(await page.locator('nav a[data-repo]').count(), 1)
  await page.getByTitle('Show all').click()
  await console.row('alpha').waitFor()
})

story('3 names that differ at their ends are told apart, however long the branch; of a path its end is shown', { repos: ['shop', 'shop-2'] }, async ({ world, page }) => {
  for (const name of ['shop', 'shop-2']) {
    execFileSync('git', ['symbolic-ref', 'HEAD', 'refs/heads/feature/a-long-branch-name-that-fits-nowhere'], { cwd: world.repo(name), env: world.env })
    await world.ok('resume', name)
  }
  const console = new Page(page)
  await page.reload()
  for (const name of ['shop', 'shop-2']) {
    await console.row(name).getByText(/\d+ MB/).waitFor()
    const [text, room] = await console.row(name).locator('.name').evaluate((span) => {
      const range = document.createRange()
      range.selectNodeContents(span)
      return [range, span].map((part) => part.getBoundingClientRect().width)
    })
    assert.ok(text <= room, `${name}: ${text} px of text in ${room}`)
  }
  await page.setViewportSize(NARROW)
  await page.keyboard.press('Control+k')
  const hint = page.getByRole('option').filter({ hasText: 'shop-2' }).locator('.hint')
  await hint.waitFor()
  const [end, edge] = await hint.evaluate((span) => [span.firstElementChild, span].map((part) => part.getBoundingClientRect().right))
  assert.ok(end <= edge + 1, 'the end of the path is in sight')
  await shot(page, 'palette-narrow')
})

story('3 a repo whose folder is gone stands above those that sleep, with the ways out', { repos: ['alpha', 'moved'] }, async ({ world, page }) => {
  renameSync(world.repo('moved'), world.repo('elsewhere'))
  await world.try('ask', 'moved', 'anybody?', '--no-wait')
  const console = new Page(page)
  await console.state('moved', 'offline')
  assert.deepEqual(await page.locator('nav .name').allTextContents(), ['moved', 'alpha'])
  await console.open('moved')
  await console.button('Remove…').click()
  await console.dialog('Remove moved from Repose?').getByRole('button', { name: 'Close' }).click()
  await shot(page, 'moved')
  await console.button('Add it where it is now…').click()
  await page.getByRole('heading', { name: 'Add a repo' }).waitFor()
})

story('3 a state changes in the list without a reload, within 200 ms of the event', { repos: ['shop'] }, async ({ t, world, page }) => {
  await world.ok('ask', 'shop', 'MD{Hello.}')
  const console = new Page(page)
  await console.state('shop', 'ready')
  // The page writes down when its row changed, and another reader of the same events when it was told.
  await page.evaluate(() => {
    globalThis.seen = []
    let last = ''
    const look = () => {
      const state = document.querySelector('nav a[data-repo] svg')?.getAttribute('class')?.split(' ')[0] ?? ''
      if (state !== last) globalThis.seen.push([state, Date.now()])
      last = state
    }
    new MutationObserver(look).observe(document.querySelector('.side'), { subtree: true, childList: true, attributes: true })
  })
  const told = []
  const stop = new AbortController()
  const events = await fetch(`${world.origin}/api/events`, { headers: { Authorization: `Bearer ${world.token()}` }, signal: stop.signal })
  const reading = (async () => {
    for await (const chunk of events.body.pipeThrough(new TextDecoderStream())) {
      for (const [, state] of chunk.matchAll(/"state":"(\w+)"/g)) {
        if (told.at(-1)?.[0] !== state) told.push([state, Date.now()])
      }
    }
  })().catch(() => undefined)
  for (let times = 0; times < 3; times++) {
    await world.ok('pause', 'shop')
    await console.state('shop', 'paused')
    await world.ok('resume', 'shop')
    await console.state('shop', 'ready')
  }
  stop.abort()
  await reading
  const seen = await page.evaluate(() => globalThis.seen)
  const lags = told.flatMap(([state, at]) => {
    const shown = seen.find(([name, when]) => name === state && when >= at - 2_000 && when < at + 2_000)
    return state === 'paused' && shown ? [shown[1] - at] : []
  })
  t.diagnostic(`from the event to the row: ${lags.join(', ')} ms`)
  assert.equal(lags.length, 3, JSON.stringify({ told, seen }))
  // The best of them: a busy machine may hold up any one.
  assert.ok(Math.min(...lags) <= 200)
})
