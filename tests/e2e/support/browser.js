// The browser, and what every page in it must fulfil: nothing against the Content-Security-Policy, no script error,
// no complaint on the console.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { SHOTS, chromium as program } from './programs.js'
import { PATIENCE } from './wait.js'

export const WIDE = { width: 1280, height: 820 }
export const NARROW = { width: 360, height: 740 }

/** What a browser logs if the server is gone or refuses: the page has its own words for that. */
const OF_THE_NETWORK = /net::ERR_|status of (400|401|404|409|413|426|501|502|503|504)|WebSocket connection/

export class Browser {
  /** `bars`: with scrollbars that take room, as most desktops have them. */
  static async open({ bars = false } = {}) {
    const home = mkdtempSync(join(tmpdir(), 'repose-browser-'))
    const env = { HOME: home, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', TZ: 'UTC' }
    // Chromium refuses to use its sandbox as root.
    const args = process.getuid() === 0 ? ['--no-sandbox'] : []
    const browser = await chromium.launch({ executablePath: program(), env, args, ignoreDefaultArgs: bars ? ['--hide-scrollbars'] : [] })
    return new Browser(browser, home)
  }

  constructor(browser, home) {
    this.browser = browser
    this.home = home
  }

  /** A person's browser, without cookies. */
  async person(options = {}) {
    const context = await this.browser.newContext({ viewport: WIDE, locale: 'en-GB', colorScheme: 'light', ...options })
    context.setDefaultTimeout(PATIENCE)
    return new Person(context)
  }

  async close() {
    await this.browser.close()
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 })
  }
}

export class Person {
  /** What pages did that they must not do. */
  troubles = []

  constructor(context) {
    this.context = context
    context.on('weberror', (thrown) => this.troubles.push(`script: ${thrown.error().message}`))
    context.on('console', (message) => {
      const text = message.text()
      if (!['error', 'warning'].includes(message.type()) || OF_THE_NETWORK.test(text)) return
      this.troubles.push(`console: ${text}`)
    })
  }

  /** A tab at this address that records violations of the policy. */
  async tab(address) {
    const page = await this.context.newPage()
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) =>
        console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`),
      )
    })
    if (address) await page.goto(address)
    return page
  }
}

/** Saves a picture. */
export async function shot(page, name) {
  mkdirSync(SHOTS, { recursive: true })
  await page.screenshot({ path: join(SHOTS, `${name}.png`) })
}
