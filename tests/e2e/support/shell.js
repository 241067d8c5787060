// A shell's terminal in the page.
import { Page } from './page.js'
import { eventually } from './wait.js'

/** Opens a shell in a repo in the page, and waits for its prompt. */
export async function shell(world, page) {
  await world.ok('add', world.repo('box'), '--engine', 'shell')
  const console = new Page(page)
  await console.open('box')
  await console.button('Open it').click()
  await eventually('a prompt', async () => /[$#]\s*$/.test((await console.screen()).trimEnd()))
  return console
}

/** Types a line and Enter. */
export async function types(page, line) {
  await page.keyboard.type(line)
  await page.keyboard.press('Enter')
}

/** Waits until the screen contains a text or matches a pattern. */
export const shows = (console, what) => eventually(`the terminal to show ${what}`, async () => (what instanceof RegExp ? what.test(await console.screen()) : (await console.screen()).includes(what)))
