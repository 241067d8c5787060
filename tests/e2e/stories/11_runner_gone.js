import assert from 'node:assert/strict'
import { Page } from '../support/page.js'
import { story } from '../support/story.js'

story('11 a runner that is gone: one calm banner, nothing blanks, drafts stay, back within a second', { repos: ['shop', 'site'] }, async ({ t, world, page }) => {
  const console = new Page(page)
  await console.open('shop')
  await console.ask('MD{It stands here.}')
  await console.answer('It stands here.')
  await console.state('shop', 'ready')
  await console.composer.fill('a draft')
  const kept = [await console.row('shop').elementHandle(), await console.said('Agent', 'It stands here.').elementHandle()]
  const banner = page.getByText("Repose doesn't answer.", { exact: true })
  const lags = []
  for (let times = 0; times < 3; times++) {
    await world.stopServe('SIGKILL')
    await banner.waitFor()
    assert.equal(await banner.count(), 1)
    assert.equal(await page.getByRole('alert').count(), 0)
    await console.said('Agent', 'It stands here.').waitFor()
    // An order that can't be given says so where it was given.
    if (times === 0) {
      await console.composer.press('Enter')
      await page.getByText('Not sent. It stays here: send it once Repose answers again.').waitFor()
      assert.equal(await console.composer.inputValue(), 'a draft')
      await console.button('Pause').click()
      await page.getByText('What you just ordered was not done.').waitFor()
      // In the banner: there is no second message.
      assert.equal(await page.getByRole('alert').count(), 0)
      assert.equal(await page.getByText('Not running').count(), 0)
    }
    await world.serve()
    const back = Date.now()
    await banner.waitFor({ state: 'detached' })
    lags.push(Date.now() - back)
    for (const node of kept) assert.ok(await node.evaluate((element) => element.isConnected), 'the same row and answer as before')
    assert.equal(await console.composer.inputValue(), 'a draft')
    await page.getByText('Not sent.').waitFor({ state: 'detached' })
  }
  t.diagnostic(`gone again after ${lags.join(', ')} ms`)
  assert.ok(Math.min(...lags) < 1_000)
  await console.state('shop', 'ready')
  await console.composer.press('Enter')
  await console.answer('a draft')
})

story('11 the terminal comes back by itself as it was', { repos: ['box'], add: false }, async ({ world, page }) => {
  await world.ok('add', world.repo('box'), '--engine', 'shell')
  const console = new Page(page)
  await console.open('box')
  await console.button('Open it').click()
  await page.locator('.xterm-rows').getByText(/[$#]/).first().waitFor()
  await page.keyboard.type('echo before-and-after')
  await page.keyboard.press('Enter')
  await page.locator('.xterm-rows').getByText(/^before-and-after/).waitFor()
  await world.stopServe('SIGKILL')
  await page.getByText("Repose doesn't answer.", { exact: true }).waitFor()
  await page.locator('.xterm-rows').getByText(/^before-and-after/).waitFor()
  await world.serve()
  await page.getByText("Repose doesn't answer.", { exact: true }).waitFor({ state: 'detached' })
  await page.getByText('Connecting…').waitFor({ state: 'detached' })
  await page.keyboard.type('echo and-$((6*7))')
  await page.keyboard.press('Enter')
  await page.locator('.xterm-rows').getByText('and-42').waitFor()
  assert.match(await console.screen(), /^before-and-after$/m)
})

story('11 what was never loaded says so while the runner is gone, and comes by itself', { repos: ['shop'] }, async ({ world, page }) => {
  const console = new Page(page)
  await console.open('shop')
  await console.ask('MD{It stands here.}')
  await console.answer('It stands here.')
  await console.state('shop', 'ready')
  const missing = page.getByText('This part of the page couldn\'t be loaded. It comes by itself once Repose answers.')
  const banner = page.getByText("Repose doesn't answer.", { exact: true })
  const whileGone = async (act, there) => {
    await world.stopServe('SIGKILL')
    await banner.waitFor()
    await act()
    await missing.waitFor()
    await world.serve()
    await banner.waitFor({ state: 'detached' })
    await there.waitFor()
    await missing.waitFor({ state: 'detached' })
  }
  const home = page.url()
  await whileGone(() => page.evaluate(() => (location.hash = '#/settings')), page.getByLabel('Let go of idle agents after'))
  await whileGone(() => page.evaluate(() => (location.hash = '#/diagnostics')), page.getByRole('heading', { name: '1 session' }))
  await page.goto(home)
  await whileGone(() => console.more('Start fresh…'), console.dialog('Start fresh in shop?'))
  await page.keyboard.press('Escape')
  await whileGone(() => page.getByRole('radio', { name: 'Terminal' }).click(), page.locator('.xterm-rows').getByText('❯').first())
})

story('11 a runner that answers and has no place for one more page says so', { repos: ['shop'] }, async ({ page }) => {
  const console = new Page(page)
  await console.row('shop').waitFor()
  const error = { code: 'too_many', title: 'Too many', message: '64 readers follow the events already. Close one.', hints: [], severity: 'notice' }
  await page.route('**/api/events', (route) => route.fulfill({ status: 503, json: { error } }))
  await page.reload()
  await page.getByText('64 readers follow the events already.').waitFor()
  assert.equal(await page.getByText("Repose doesn't answer.").count(), 0)
  await page.unroute('**/api/events')
  await console.row('shop').waitFor()
  await page.getByText('64 readers follow the events already.').waitFor({ state: 'detached' })
})
