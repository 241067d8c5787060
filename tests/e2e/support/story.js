// One story: a world, a person with a logged-in browser, and what happened to both.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Browser, shot } from './browser.js'
import { World } from './world.js'

/** The longest a story may take before it counts as hanging, in milliseconds. */
const LONGEST = 480_000

let browser
after(() => browser?.close())

/**
 * Runs a story. `options`: its repos (created, trusted, and added unless `add` is false), its settings, and whether
 * it has a `desktop`; with `login: false` the person isn't logged in.
 */
export function story(name, options, tell) {
  test(name, { timeout: LONGEST }, async (t) => {
    browser ??= await Browser.open()
    const world = await World.start(options)
    const person = await browser.person(options.browser)
    let page
    try {
      const repos = options.add === false ? [] : await world.add(...(options.repos ?? []))
      page = await person.tab(options.login === false ? undefined : await world.link())
      if (options.login !== false) await page.getByRole('link', { name: 'Repose, home' }).waitFor()
      await tell({ t, world, browser, person, page, repos })
      assert.deepEqual(person.troubles, [], 'what pages did that they must not do')
    } catch (error) {
      if (page && !page.isClosed()) await shot(page, `failed-${name.replace(/\W+/g, '-').slice(0, 60)}`).catch(() => undefined)
      for (const trouble of person.troubles) t.diagnostic(trouble)
      t.diagnostic(`the runner's last words:\n${world.log()}`)
      throw error
    } finally {
      await person.context.close()
      await world.end()
    }
  })
}
