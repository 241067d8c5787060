import type { Entry, Page } from '../wire/types'

/** The loaded part of a conversation: consecutive entries. */
export interface Loaded {
  entries: readonly Entry[]
  /** The `before` with which to request what precedes. Null: the beginning is loaded. */
  before: number | null
  /** The offset in the transcript of what follows. Null: the end is loaded. */
  after: number | null
  skipped: number
}

/** The offset of an entry's line in the transcript, and its index in the line. Null: it isn't in the transcript. */
function place(entry: Entry): [number, number] | null {
  if (entry.kind === 'continuity') return null
  const [offset, part] = entry.id.split('.')
  return [Number(offset), Number(part ?? 0)]
}

/** Whether `entry` precedes `other` in the transcript; both are in it. */
function isBefore(entry: Entry, other: Entry): boolean {
  const [a, b] = [place(entry), place(other)]
  return a !== null && b !== null && (a[0] - b[0] || a[1] - b[1]) < 0
}

const ids = (entries: readonly Entry[]) => new Map(entries.map((entry) => [entry.id, entry]))

/** Prepends an earlier page. */
export function earlier(loaded: Loaded, page: Page): Loaded {
  const known = ids(loaded.entries)
  const older = page.entries.filter((entry) => !known.has(entry.id))
  return { ...loaded, entries: [...older, ...loaded.entries], before: page.before, skipped: loaded.skipped + page.skipped }
}

/** A page as the loaded part. `after`: the offset of what follows; null: it is the newest page. */
export function alone(page: Page, after: number | null = null): Loaded {
  return { ...page, after }
}

/** Appends a later part. */
export function later(loaded: Loaded, run: Loaded): Loaded {
  const known = ids(loaded.entries)
  const newer = run.entries.filter((entry) => !known.has(entry.id))
  return { ...loaded, entries: [...loaded.entries, ...newer], after: run.after, skipped: loaded.skipped + run.skipped }
}

/** Drops entries beyond `most` at the end that isn't in view. They can be loaded again. */
export function bounded(loaded: Loaded, most: number, end: 'early' | 'late'): Loaded {
  const { entries } = loaded
  if (entries.length <= most) return loaded
  // Whole lines are dropped, since requests begin with one.
  const begins = (at: number) => {
    const [here, before] = [entries[at], entries[at - 1]]
    const offset = here ? place(here)?.[0] : undefined
    return offset !== undefined && (!before || place(before)?.[0] !== offset) ? offset : null
  }
  for (let at = end === 'late' ? most : entries.length - most; at > 0 && at < entries.length; at += end === 'late' ? -1 : 1) {
    const offset = begins(at)
    if (offset === null) continue
    return end === 'late'
      ? { ...loaded, entries: entries.slice(0, at), after: offset }
      : { ...loaded, entries: entries.slice(at), before: offset }
  }
  return loaded
}

/**
 * Appends the newest page, which replaces everything from its first entry on. An entry that was loaded stays the same
 * object, so that it isn't drawn again. `null`: the page doesn't reach back to what is loaded, so something in
 * between is missing.
 */
export function newest(loaded: Loaded, page: Page): Loaded | null {
  const known = ids(loaded.entries)
  const first = page.entries.find((entry) => place(entry) !== null)
  const reaches = loaded.entries.every((entry) => place(entry) === null) || page.entries.some((entry) => place(entry) && known.has(entry.id))
  if (!first || !reaches) return page.before === null || !first ? alone(page) : null
  const end = loaded.entries.findIndex((entry) => place(entry) !== null && !isBefore(entry, first))
  const now = ids(page.entries)
  const kept = loaded.entries.slice(0, end < 0 ? undefined : end).filter((entry) => !now.has(entry.id))
  const entries = [...kept, ...page.entries.map((entry) => known.get(entry.id) ?? entry)]
  const same = entries.length === loaded.entries.length && entries.every((entry, at) => entry === loaded.entries[at])
  if (same) return loaded
  return kept.length > 0 ? { ...loaded, entries } : alone({ ...page, entries })
}
