// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { inline, render } from './markdown'

const dom = (text: string) => {
  const root = document.createElement('div')
  root.innerHTML = render(text)
  return root
}

it.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '![x](https://evil.example/pixel.png)',
  '<svg><a xlink:href="javascript:alert(1)">x</a></svg>',
  '<iframe src="https://evil.example"></iframe>',
  '<style>*{display:none}</style>',
  '<a href="https://x" style="position:fixed;inset:0">x</a>',
  '```"><img src=x onerror=alert(1)>\nx\n```',
  '<form action="/api/pause-all"><button>x</button></form>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
])('%s is harmless', (text) => {
  const root = dom(text)
  expect(root.querySelector('script, img, svg, iframe, style, form, button, object, link, meta, math')).toBeNull()
  for (const element of root.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      expect(name).toMatch(/^(href|target|rel|data-lang|data-task|align|start)$/)
      if (name === 'href') expect(value).toMatch(/^(https?|mailto):/)
    }
  }
})

it.each(['[x](javascript:alert(1))', '[x](data:text/html,<b>)', '[x](/api/repos)', '[x](vbscript:x)', '[x](JaVaScRiPt:x)'])(
  '%s leads nowhere',
  (text) => expect(dom(text).querySelector('a')?.hasAttribute('href') ?? false).toBe(false),
)

it('a line of Markdown has no links, blocks or pictures', () => {
  expect(inline('**bold** and `code`: <b>raw</b> [here](https://a.b) ![p](x.png)')).toBe('<strong>bold</strong> and <code>code</code>: &lt;b&gt;raw&lt;/b&gt; here p')
  expect(inline('# 2 * 3 snake_case *.rs')).toBe('# 2 * 3 snake_case *.rs')
})

it('links open elsewhere and tell nothing', () => {
  const link = dom('[x](https://example.com)').querySelector('a')
  expect(link?.getAttribute('rel')).toBe('noopener noreferrer')
  expect(link?.getAttribute('target')).toBe('_blank')
})

it('code keeps its text and its language', () => {
  const pre = dom('```rust\nlet a = "<b>";\n```').querySelector('pre')
  expect(pre?.dataset['lang']).toBe('rust')
  expect(pre?.textContent).toBe('let a = "<b>";')
})

it('tables and task lists come through', () => {
  const root = dom('| a |\n| ---: |\n| 1 |\n\n- [x] done\n- [ ] open')
  expect(root.querySelector('td')?.getAttribute('align')).toBe('right')
  expect(root.textContent).toContain('☑ done')
})
