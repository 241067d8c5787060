// Looking at screens: a picture of each, and what is wrong with it.
import { NARROW, WIDE, shot } from './browser.js'
import { wrongs } from './axe.js'

const SIZES = { wide: WIDE, narrow: NARROW }

/** Waits until everything is drawn and no longer moves. */
async function still(page) {
  await page.evaluate(async () => {
    await document.fonts.ready
    for (const animation of document.getAnimations()) if (animation.effect.getComputedTiming().iterations !== Infinity) animation.finish()
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  })
}

export class Look {
  /**
   * `found` collects what is wrong. `each`: axe checks every look; otherwise once per size and colour scheme, since
   * contrast depends on the scheme and the rest on the size.
   */
  constructor(found, each = false) {
    this.found = found
    this.each = each
  }

  /** Looks at a screen that `act` leads to in each size, light and dark; axe finds nothing serious, and nothing is wider than the page. */
  async at(page, name, act) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      await page.setViewportSize(viewport)
      await act()
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme })
        await still(page)
        await shot(page, `${name}-${size}-${colorScheme}`)
        if (this.each || (size === 'wide') === (colorScheme === 'light')) this.found.push(...(await wrongs(page, `${name} ${size} ${colorScheme}`)))
      }
    }
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize(WIDE)
  }
}
