import { read, watch, write } from './stored'

/** A longer draft isn't kept over a reload: localStorage has about 5 MB for everything. */
const DRAFT_MAX = 200_000

/** Drafts that this page knows better than the storage: they are too long for it, or it is forbidden. */
const own = new Map<string, string>()

/** What of the storage was last shown here, or written by this page. What else stands there is another tab's, and new. */
const seen = new Map<string, string>()

const stored = (repo: string) => read('draft', repo) ?? ''

/** The text that was typed and not sent in a repo. Kept over switches and reloads, and the same in all tabs. */
export function draft(repo: string): string {
  seen.set(repo, stored(repo))
  return own.get(repo) ?? stored(repo)
}

/** Keeps it, and gives what is kept: what another tab has typed meanwhile and nobody has seen here stands before it. */
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

/** A composer, for what other tabs do with its draft. */
export interface Composing {
  text: () => string
  /** Somebody types here. */
  typing: () => boolean
  /** Several keys are about to become one character: nothing else may touch the text. */
  composes: () => boolean
  show: (text: string) => void
}

/**
 * Follows what other tabs do with a repo's draft: what was sent there is gone here too, what is typed there shows here.
 * Where somebody types here something else just then, it comes with the next letter. Returns the way to stop that.
 */
export function follow(repo: string, here: Composing): () => void {
  return watch('draft', (of, text, before) => {
    if (of !== repo) return
    // There it went on from what stands here, or was sent.
    const known = (before ?? '') === here.text()
    if (here.composes() || (here.typing() && !known)) return
    own.delete(repo)
    seen.set(repo, text ?? '')
    here.show(text ?? '')
  })
}
