import { read, watch, write } from './stored'

/** The most characters of a draft to keep across reloads: localStorage has about 5 MB for everything. */
const DRAFT_MAX = 200_000

/** Drafts that only this page has, because they are too long for the storage or it is forbidden. */
const own = new Map<string, string>()

/** The composers of this page, by repo. */
const composers = new Map<string, Set<Composing>>()

/** What was last shown here from the storage, or written by this page. Anything else there is new, from another tab. */
const seen = new Map<string, string>()

const stored = (repo: string) => read('draft', repo) ?? ''

/** The text that was typed and not sent in a repo. Kept across switches and reloads, and the same in all tabs. */
export function draft(repo: string): string {
  seen.set(repo, stored(repo))
  return own.get(repo) ?? stored(repo)
}

/** Stores a draft and returns the stored text: what another tab typed and nobody has seen here precedes it. */
export function keep(repo: string, text: string): string {
  const there = stored(repo)
  const unseen = there !== (seen.get(repo) ?? '') && there !== text
  const kept = unseen ? [there, text].filter((piece) => piece !== '').join('\n') : text
  const fits = kept.length <= DRAFT_MAX
  if (write('draft', repo, kept === '' || !fits ? null : kept) && fits) own.delete(repo)
  else own.set(repo, kept)
  seen.set(repo, stored(repo))
  return kept
}

/**
 * Drops a draft that was sent from a composer which is gone by now, unless it was changed since. It disappears from the
 * composer that is there instead, which hears nothing of its own page from the storage.
 */
export function taken(repo: string, text: string): void {
  if ((own.get(repo) ?? stored(repo)) !== text) return
  seen.set(repo, stored(repo))
  keep(repo, '')
  for (const here of composers.get(repo) ?? []) if (here.text() === text && !here.composes()) here.show('')
}

/** Gives back a text that wasn't taken, from a composer that is gone: to the one that is there now, or else to the draft. */
export function restored(repo: string, text: string): void {
  const here = [...(composers.get(repo) ?? [])].at(-1)
  if (here) return here.back(text)
  const typed = draft(repo)
  if (!has(typed, text)) keep(repo, [text, typed].filter((piece) => piece !== '').join('\n'))
}

/** Whether a draft has a text already, as lines of its own. */
export const has = (draft: string, text: string) => `\n${draft}\n`.includes(`\n${text}\n`)

/** A composer, as far as other tabs' drafts concern it. */
export interface Composing {
  text: () => string
  /** Whether somebody is typing here. */
  typing: () => boolean
  /** Whether several keys are about to become one character, so that nothing else may change the text. */
  composes: () => boolean
  show: (text: string) => void
  /** Takes in a text that wasn't taken, before its own. */
  back: (text: string) => void
}

/**
 * Follows what other tabs do with a repo's draft: what was sent there disappears here, and what is typed there
 * appears here. While somebody types here, it appears with the next letter. Returns a function that stops that.
 */
export function follow(repo: string, here: Composing): () => void {
  const all = composers.get(repo) ?? new Set()
  composers.set(repo, all.add(here))
  const unwatch = watch('draft', (of, text, before) => {
    if (of !== repo) return
    // The other tab continued from this text, or sent it.
    const known = (before ?? '') === here.text()
    if (here.composes() || (here.typing() && !known)) return
    own.delete(repo)
    seen.set(repo, text ?? '')
    here.show(text ?? '')
  })
  return () => (all.delete(here), unwatch())
}
