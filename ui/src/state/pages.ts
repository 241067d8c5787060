import type { Entry, Page } from '../wire/types'

/** What is loaded of a conversation: a run of its entries. */
export interface Loaded {
  entries: readonly Entry[]
  /** What to ask for to get what is before. Null: its beginning is here. */
  before: number | null
  /** Where in the transcript what comes after begins. Null: its end is here. */
  after: number | null
  skipped: number
}

/** Where an entry's line begins in the transcript, and which part of the line it is. Null: it stands in no transcript. */
function place(entry: Entry): [number, number] | null {
  if (entry.kind === 'continuity') return null
  const [offset, part] = entry.id.split('.')
  return [Number(offset), Number(part ?? 0)]
}

/** Whether `entry` stands in the transcript before `other`, which stands there too. */
function isBefore(entry: Entry, other: Entry): boolean {
  const [a, b] = [place(entry), place(other)]
  return a !== null && b !== null && (a[0] - b[0] || a[1] - b[1]) < 0
}

const ids = (entries: readonly Entry[]) => new Map(entries.map((entry) => [entry.id, entry]))

/** Puts an earlier page in front. */
export function earlier(loaded: Loaded, page: Page): Loaded {
  const known = ids(loaded.entries)
  const older = page.entries.filter((entry) => !known.has(entry.id))
  return { ...loaded, entries: [...older, ...loaded.entries], before: page.before, skipped: loaded.skipped + page.skipped }
}

/** A page as what is loaded. `after`: where what comes after it begins; null: it is the newest. */
export function alone(page: Page, after: number | null = null): Loaded {
  return { ...page, after }
}

/** Puts a later run behind. */
export function later(loaded: Loaded, run: Loaded): Loaded {
  const known = ids(loaded.entries)
  const newer = run.entries.filter((entry) => !known.has(entry.id))
  return { ...loaded, entries: [...loaded.entries, ...newer], after: run.after, skipped: loaded.skipped + run.skipped }
}

/** Lets go of what is more than `most` entries, at the end that is not looked at. It can be had again. */
export function bounded(loaded: Loaded, most: number, end: 'early' | 'late'): Loaded {
  const { entries } = loaded
  if (entries.length <= most) return loaded
  // Whole lines go: what is asked for again begins with one.
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
 * Puts the newest page behind: from its first entry on it is what there is. An entry that was there stays the same
 * object, so that nothing is drawn anew. `null`: the page doesn't reach back to what is loaded, so that something between
 * is missing.
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
