import DOMPurify from 'dompurify'
import { Marked } from 'marked'

export { highlight } from './highlight'

/** A longer text is shown as it is: parsing it would block the page. */
const MARKDOWN_MAX = 200_000

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer: {
    // The agent's HTML is shown as text.
    html: ({ text }) => escape(text),
    checkbox: ({ checked }) => `<span data-task>${checked ? '☑' : '☐'}</span> `,
    // Nothing remote is fetched: an image becomes a link to it.
    image: ({ href, text }) => `<a href="${escape(href)}">${escape(text || href)}</a>`,
    code: ({ text, lang }) => {
      const name = /^[\w+#-]{1,24}/.exec(lang ?? '')?.[0] ?? ''
      return `<pre data-lang="${name}"><code>${escape(text)}</code></pre>`
    },
  },
})

const ALLOWED = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'hr', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'a', 'ul', 'ol', 'li', 'span'],
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  ALLOWED_ATTR: ['href', 'data-lang', 'data-task', 'align', 'start'],
}

const OPENABLE = /^(?:https?|mailto):/i

const purify = DOMPurify(window)
purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.nodeName !== 'A') return
  // A path from the agent isn't an address in this console.
  if (!OPENABLE.test(node.getAttribute('href') ?? '')) return node.removeAttribute('href')
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noopener noreferrer')
})

/** What may stand within a line, and within a button. */
const INLINE = { ALLOWED_TAGS: ['strong', 'em', 'del', 'code', 'br'], ALLOWED_ATTR: [] }

/** A line of the agent's Markdown as harmless HTML, without anything that could be pressed. */
export const inline = (text: string) => purify.sanitize(marked.parseInline(text, { async: false }), INLINE)

/** The agent's Markdown as harmless HTML: it is hostile until sanitised. */
export function render(text: string): string {
  if (text.length > MARKDOWN_MAX) return `<pre data-lang=""><code>${escape(text)}</code></pre>`
  return purify.sanitize(marked.parse(text, { async: false }), ALLOWED)
}
