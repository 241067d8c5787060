import type { Entry, Page } from '../wire/types'

/** So many of the last entries are enough to tell one conversation from another. */
const PREVIEW = 8
/** Entries a page. */
const LIMIT = 40
/** After so many pages of tools alone it isn't looked for any further back. */
const PAGES_MAX = 8

export interface Line {
  id: string
  mine: boolean
  text: string
}

export interface Preview {
  lines: Line[]
  /** There is more before, which wasn't looked at. */
  more: boolean
}

function said(entries: readonly Entry[]): Line[] {
  return entries.flatMap((entry) =>
    (entry.kind === 'user' && entry.author === 'person') || entry.kind === 'agent'
      ? [{ id: entry.id, mine: entry.kind === 'user', text: entry.text.shown }]
      : [],
  )
}

/** The last things that were said in a conversation, whose pages `page` gives from its end. */
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
