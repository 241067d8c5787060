import type { Entry, Page } from '../wire/types'

/** What is loaded of a conversation: a run of entries up to its end. */
export interface Loaded {
  entries: readonly Entry[]
  /** What to ask for to get what is before. Null: its beginning is here. */
  before: number | null
  skipped: number
}

/** Where an entry's line begins in the transcript, and which part of the line it is: the order of entries. */
function place(id: string): [number, number] {
  const [offset, part] = id.split('.')
  return [Number(offset), Number(part ?? 0)]
}

function compare(a: Entry, b: Entry): number {
  const [ao, ap] = place(a.id)
  const [bo, bp] = place(b.id)
  return ao - bo || ap - bp
}

/** Puts an earlier page in front. */
export function earlier(loaded: Loaded, page: Page): Loaded {
  const first = loaded.entries[0]
  const older = first ? page.entries.filter((entry) => compare(entry, first) < 0) : page.entries
  return { entries: [...older, ...loaded.entries], before: page.before, skipped: loaded.skipped + page.skipped }
}

/**
 * Puts the newest page behind. An entry that was there stays the same object, so that nothing is drawn anew. `null`:
 * the page doesn't reach back to what is loaded, so that something between is missing.
 */
export function newest(loaded: Loaded, page: Page): Loaded | null {
  const last = loaded.entries.at(-1)
  const oldest = page.entries[0]
  if (!last || !oldest) return { entries: page.entries, before: page.before, skipped: page.skipped }
  if (compare(oldest, last) > 0) return page.before === null ? { ...page } : null
  const added = page.entries.filter((entry) => compare(entry, last) > 0)
  return added.length === 0 ? loaded : { ...loaded, entries: [...loaded.entries, ...added] }
}
