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

function said(entries: readonly Entry[]): Line[] {
  return entries.flatMap((entry) =>
    (entry.kind === 'user' && entry.author === 'person') || entry.kind === 'agent'
      ? [{ id: entry.id, mine: entry.kind === 'user', text: entry.text.shown }]
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
