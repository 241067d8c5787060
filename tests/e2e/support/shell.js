// A shell's terminal in the page.
import { Page } from './page.js'
import { eventually } from './wait.js'

/** A shell in a repo, shown in the page, whose prompt is there. */
export async function shell(world, page) {
  await world.ok('add', world.repo('box'), '--engine', 'shell')
  const console = new Page(page)
  await console.open('box')
  await console.button('Open it').click()
  await eventually('a prompt', async () => /[$#]\s*$/.test((await console.screen()).trimEnd()))
  return console
}

/** Types a line, and ends it. */
export async function types(page, line) {
  await page.keyboard.type(line)
  await page.keyboard.press('Enter')
}

/** Waits until the screen holds a text, or fits a pattern. */
export const shows = (console, what) => eventually(`the terminal to show ${what}`, async () => (what instanceof RegExp ? what.test(await console.screen()) : (await console.screen()).includes(what)))
