import assert from 'node:assert/strict'
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { Page } from '../support/page.js'
import { PAGE } from '../support/programs.js'
import { story } from '../support/story.js'
import { eventually } from '../support/wait.js'

const KB = 1_000

/** What an agent could say to do harm; the origin is a server that must never be asked for anything. */
const hostile = (origin) => `MD{Before.

<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>
<iframe src="${origin}/frame"></iframe><style>body { display: none }</style>

[a link](javascript:document.title='owned') [another](data:text/html,owned) [a page](${origin}/page) [a path](/api/repos)

![an image](${origin}/image.png) <${origin}/auto>

<form action="${origin}/form"><input name=q><button>Send</button></form>
<svg onload="document.title='owned'"><a href="javascript:alert(1)">x</a></svg>

\`\`\`html"><script>document.title='owned'</script>
<b>only text</b>
\`\`\`

After.}`

story('hostile: what the agent says is text, whatever it says', { repos: ['shop'] }, async ({ page }) => {
  const asked = []
  const server = createServer((request, response) => (asked.push(request.url), response.end('owned')))
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  try {
    const origin = `http://127.0.0.1:${server.address().port}`
    const console = new Page(page)
    await console.open('shop')
    await console.ask(hostile(origin))
    const said = console.said('Agent', 'Before.')
    await said.getByText('After.').waitFor()
    assert.equal(await page.title(), 'shop – Repose')
    for (const tag of ['script', 'iframe', 'img', 'style', 'form', 'input', 'svg a', '[onerror]', '[onload]', '[style]']) {
      assert.equal(await said.locator('.prose').locator(tag).count(), 0, tag)
    }
    await said.getByText("<script>document.title='owned'</script>").first().waitFor()
    const links = await said.locator('a').evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute('href'), link.target, link.rel]))
    const goes = Object.fromEntries(links.map(([text, href]) => [text, href]))
    assert.equal(goes['a link'], null)
    assert.equal(goes['another'], null)
    assert.equal(goes['a path'], null)
    assert.equal(goes['a page'], `${origin}/page`)
    assert.equal(goes['an image'], `${origin}/image.png`)
    for (const [, href, target, rel] of links) if (href) assert.deepEqual([target, rel], ['_blank', 'noopener noreferrer'])
    assert.deepEqual(asked, [], 'nothing remote is fetched')
  } finally {
    server.close()
  }
})

story('hostile: a terminal writes neither clipboard nor title, and opens only pages', { repos: ['box'], add: false, browser: { permissions: ['clipboard-read', 'clipboard-write'] } }, async ({ world, person, page }) => {
  await world.ok('add', world.repo('box'), '--engine', 'shell')
  writeFileSync(`${world.repo('box')}/harm`, [
    '\x1b]52;c;b3duZWQ=\x07', // the clipboard
    '\x1b]0;ti\x1b\\\x1b]2;bad\u202etitle\u200b<img src=x onerror=alert(1)>\x07',
    '\x1b]8;;javascript:document.title="owned"\x1b\\click here\x1b]8;;\x1b\\ ',
    '\x1b]8;;file:///etc/passwd\x1b\\or here\x1b]8;;\x1b\\\r\n',
    '\x1b[5n\x1b[6n\x1b[c\x1b]10;?\x07\x1bP$q"p\x1b\\', // questions to the terminal
    'harm done\r\n',
  ].join(''))
  const console = new Page(page)
  await console.open('box')
  await page.evaluate(() => navigator.clipboard.writeText('mine'))
  await console.button('Open it').click()
  await page.locator('.xterm-rows').getByText(/[$#]/).first().waitFor()
  await page.keyboard.type('cat harm')
  await page.keyboard.press('Enter')
  await eventually('it to be shown', async () => /^harm done$/m.test(await console.screen()))
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'mine')
  assert.equal(await page.title(), 'box – Repose')
  assert.equal(await page.locator('img[onerror]').count(), 0)
  const shown = page.locator('main .title')
  if (await shown.count()) assert.doesNotMatch(await shown.innerText(), /[\u202e\u200b]/)
  const line = await page.locator('.xterm-rows > div').filter({ hasText: 'click here' }).boundingBox()
  for (const x of [30, 110]) {
    await page.mouse.move(line.x + x - 1, line.y + 8)
    await page.mouse.click(line.x + x, line.y + 8)
  }
  await page.keyboard.press('Control+c')
  await page.keyboard.type('echo and-$((6*7))')
  await page.keyboard.press('Enter')
  await eventually('the shell to be itself', async () => /^and-42$/m.test(await console.screen()))
  assert.equal(person.context.pages().length, 1, 'nothing was opened')
})

test('the page is as light as promised, and holds no script of its own inline', () => {
  const html = readFileSync(join(PAGE, 'index.html'), 'utf8')
  assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/)
  const size = (name) => statSync(join(PAGE, 'assets', name)).size
  const initial = [...html.matchAll(/src="\/assets\/([^"]+\.js)"/g)].map(([, name]) => size(name))
  const terminal = readdirSync(join(PAGE, 'assets')).filter((name) => /^(screen|addon).*\.js$/i.test(name)).map(size)
  const sum = (sizes) => sizes.reduce((all, one) => all + one, 0)
  assert.ok(sum(initial) > 0 && sum(initial) < 120 * KB, `initial ${sum(initial)}`)
  assert.ok(sum(terminal) > 100 * KB && sum(terminal) < 520 * KB, `terminal ${sum(terminal)}`)
})
