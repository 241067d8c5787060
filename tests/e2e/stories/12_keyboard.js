import assert from 'node:assert/strict'
import { Page } from '../support/page.js'
import { wrongs } from '../support/axe.js'
import { story } from '../support/story.js'
import { eventually } from '../support/wait.js'

story('12 everything by the keyboard', { repos: ['alpha', 'beta', 'gamma'] }, async ({ world, page }) => {
  const console = new Page(page)
  const at = (name) => page.getByRole('heading', { level: 1, name }).waitFor()
  await console.row('beta').waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('bet')
  await page.keyboard.press('Enter')
  await at('beta')
  await page.keyboard.press('Alt+ArrowDown')
  await at('gamma')
  await page.keyboard.press('Alt+ArrowUp')
  await at('beta')
  await page.keyboard.press('/')
  await page.keyboard.type('alp')
  await page.keyboard.press('Enter')
  await at('alpha')
  await page.keyboard.press('Escape')
  await console.row('gamma').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await at('beta')
  // The focus goes along with what is shown.
  await page.keyboard.press('Alt+ArrowDown')
  await at('gamma')
  await eventually('its row to have the focus', () => console.row('gamma').evaluate((row) => document.activeElement === row))
  await page.keyboard.press('Alt+ArrowUp')
  await at('beta')
  await console.button('Add a repo').click()
  await eventually('the path to have the focus', () => page.getByLabel('Path of the folder').evaluate((field) => document.activeElement === field))
  await console.open('beta')

  await page.keyboard.press('i')
  await page.keyboard.type('HOLD{keys} go')
  await page.keyboard.press('Enter')
  await console.state('beta', 'working')
  await console.said('You', 'HOLD{keys} go').waitFor()
  await page.keyboard.press('Escape')
  await console.state('beta', 'ready')
  await page.keyboard.press('Control+`')
  await page.locator('.xterm').waitFor()
  // Out of the terminal, which has every other key.
  await page.keyboard.press('Control+`')
  await eventually('the composer to have the focus', () => console.composer.evaluate((area) => document.activeElement === area))
  await page.keyboard.press('Control+k')
  // What concerns everything is in view, and a row that is cut shows that there is more.
  const list = page.getByRole('listbox', { name: 'Matches' })
  const { bottom, rows } = await list.evaluate((list) => ({
    bottom: list.getBoundingClientRect().bottom,
    rows: [...list.children].map((row) => ({ text: row.textContent.trim(), top: row.getBoundingClientRect().top, bottom: row.getBoundingClientRect().bottom })),
  }))
  for (const text of ['Pause all', 'Settings']) assert.ok(rows.find((row) => row.text.startsWith(text)).bottom < bottom, `${text} is in view`)
  assert.ok(rows.some((row) => row.top < bottom - 8 && row.bottom > bottom + 8), 'a row is cut')
  await page.keyboard.type('pause')
  await page.keyboard.press('Enter')
  await console.state('beta', 'paused')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('resume')
  await page.keyboard.press('Enter')
  await console.state('beta', 'ready')

  // The menu: by arrows, closed by Esc, the focus back where it was.
  await console.button('More').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem').first().and(page.locator(':focus')).waitFor()
  await page.keyboard.press('ArrowUp')
  assert.equal(await page.locator(':focus').innerText(), 'Remove…')
  await page.keyboard.press('Escape')
  await eventually('the focus back on the button', () => console.button('More').evaluate((button) => document.activeElement === button))
  await page.keyboard.press('?')
  await console.dialog('Keyboard').waitFor()
  await page.keyboard.press('Escape')
  await console.dialog('Keyboard').waitFor({ state: 'detached' })
})

story('12 the focus is to be seen at every stop, and nothing traps it', { repos: ['alpha', 'beta'] }, async ({ page }) => {
  const console = new Page(page)
  await console.open('alpha')
  // From the top of the page.
  await page.reload()
  await console.composer.waitFor()
  const stops = []
  for (let at = 0; at < 40; at++) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate(() => {
      const element = document.activeElement
      if (!element || element === document.body) return null
      // The ring may be drawn by what stands round an input.
      const ringed = [element, element.parentElement].some((one) => {
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one)
        return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none'
      })
      const { width, height } = element.getBoundingClientRect()
      return { what: element.outerHTML.slice(0, 120), ringed, shown: width > 0 && height > 0 }
    })
    if (stop === null) break
    stops.push(stop)
  }
  assert.ok(stops.length > 8 && stops.length < 40, `${stops.length} stops`)
  assert.deepEqual(stops.filter(({ ringed, shown }) => !ringed || !shown), [])
})

story('12 at 200 % zoom and 360 pixels everything is within reach; nothing moves for those who want that', { repos: ['alpha', 'beta'], browser: { viewport: { width: 640, height: 410 }, deviceScaleFactor: 2, reducedMotion: 'reduce' } }, async ({ world, page }) => {
  const console = new Page(page)
  await world.ok('ask', 'beta', 'MD{An answer.}')
  for (const viewport of [{ width: 640, height: 410 }, { width: 360, height: 640 }]) {
    await page.setViewportSize(viewport)
    await page.goto(`${world.origin}/#/`)
    await console.open('beta')
    assert.deepEqual(await wrongs(page, `${viewport.width} wide`), [])
    for (const control of [console.button('Pause'), console.button('More'), console.composer, page.getByRole('radio', { name: 'Terminal' })]) {
      assert.ok(await control.isVisible())
      const box = await control.boundingBox()
      assert.ok(box.x >= 0 && box.x + box.width <= viewport.width && box.y >= 0 && box.y + box.height <= viewport.height, JSON.stringify({ viewport, box }))
    }
    await console.said('Agent', 'An answer.').waitFor()
    await console.more('Start fresh…')
    const keep = console.dialog('Start fresh in beta?').getByRole('button', { name: 'Keep the conversation' })
    await keep.click()
    await page.getByRole('link', { name: 'All repos' }).click()
    await console.row('alpha').waitFor()
  }
  await console.open('beta')
  await console.ask('HOLD{still} go')
  await console.state('beta', 'working')
  const moving = () => page.evaluate(() => document.getAnimations().filter((animation) => animation.playState === 'running' && animation.effect.getComputedTiming().iterations === Infinity).length)
  assert.equal(await moving(), 0)
  world.model.release('still')
})
