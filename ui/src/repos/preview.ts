import type { Entry, Page } from '../wire/types'

/** How many of the last entries are enough to tell conversations apart. */
const PREVIEW = 8
/** Entries per page. */
const LIMIT = 40
/** How many pages that hold only tools to look through before giving up. */
const PAGES_MAX = 8

export interface Line {
  id: string
  mine: boolean
  text: string
}

export interface Preview {
  lines: Line[]
  /** Whether there is more before that wasn't looked at. */
  more: boolean
}

/** The most characters of what was said that a preview shows. */
const SHOWN_MAX = 600
/** The most characters of Markdown to read for them: its marks, and links above all, are left out. */
const READ_MAX = 4 * SHOWN_MAX

/** The beginning of a text in Markdown without its marks, as far as a few lines need it. */
export function plain(markdown: string): string {
  return markdown
    .slice(0, READ_MAX)
    .replace(/^ *(```|~~~).*\n?/gm, '')
    .replace(/^ {0,3}#{1,6} +/gm, '')
    .replace(/^( *)[*+-] +/gm, '$1• ')
    .replace(/!?\[([^[\]\n]*)\]\([^)\n]*\)/g, '$1')
    // Not within a name or a number, such as `__init__` or `2**3**4`.
    .replace(/(?<![\w*])\*\*(?=[^\s*])([^*\n]+)(?<=\S)\*\*(?![\w*])/g, '$1')
    .replace(/(?<!\w)__(?=[^\s_])([^_\n]* [^_\n]*)(?<=\S)__(?!\w)/g, '$1')
    .replace(/`([^`\n]+)`/g, '$1')
}

function said(entries: readonly Entry[]): Line[] {
  return entries.flatMap((entry) =>
    (entry.kind === 'user' && entry.author === 'person') || entry.kind === 'agent'
      ? [{ id: entry.id, mine: entry.kind === 'user', text: (entry.kind === 'user' ? entry.text.shown : plain(entry.text.shown)).trim().slice(0, SHOWN_MAX) }]
      : [],
  )
}

/** The last things that were said in a conversation; `page` gives its pages from the end. */
export async function preview(page: (before: number | null, limit: number) => Promise<Page>): Promise<Preview> {
  let before: number | null = null
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const next: Page = await page(before, LIMIT)
    const lines = said(next.entries)
    before = next.before
    if (lines.length > 0 || before === null) return { lines: lines.slice(-PREVIEW), more: before !== null }
  }
  return { lines: [], more: true }
}
