// What axe-core finds that would exclude somebody.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const BAD = ['serious', 'critical']
/** What it calls moderate, although people who navigate by landmarks and headings are lost without it. */
const WAYS = ['landmark-one-main', 'page-has-heading-one', 'region']

/**
 * What is wrong with a screen: what axe calls serious, and horizontal scrolling. The terminal's own drawing is left
 * out.
 */
export async function wrongs(page, where) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) {
    // Not as a script of the page, which its policy forbids.
    const session = await page.context().newCDPSession(page)
    await session.send('Runtime.evaluate', { expression: SOURCE })
    await session.detach()
  }
  const { violations } = await page.evaluate(() => globalThis.axe.run({ exclude: ['.xterm'] }, { resultTypes: ['violations'] }))
  const found = violations.filter(({ id, impact }) => BAD.includes(impact) || WAYS.includes(id)).map(({ id, nodes }) => `${where}: ${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`).join(' | ')}`)
  const [inside, across] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth])
  return across <= inside ? found : [...found, `${where}: scrolls sideways, ${across} in ${inside}`]
}
