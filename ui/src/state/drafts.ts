import { read, watch, write } from './stored'

/** A longer draft isn't kept over a reload: localStorage has about 5 MB for everything. */
const DRAFT_MAX = 200_000

/** Drafts that this page knows better than the storage: they are too long for it, or it is forbidden. */
const own = new Map<string, string>()

/** The text that was typed and not sent in a repo. Kept over switches and reloads, and the same in all tabs. */
export function draft(repo: string): string {
  return own.get(repo) ?? read('draft', repo) ?? ''
}

export function keep(repo: string, text: string): void {
  const fits = text.length <= DRAFT_MAX
  if (write('draft', repo, text === '' || !fits ? null : text) && fits) own.delete(repo)
  else own.set(repo, text)
}

/** A composer, for what other tabs do with its draft. */
export interface Composing {
  text: () => string
  /** Somebody types here now. */
  typing: () => boolean
  show: (text: string) => void
}

/**
 * Follows what other tabs do with a repo's draft. What was sent there is gone here too; what is typed there shows here,
 * unless somebody types here. Returns the way to stop that.
 */
export function follow(repo: string, here: Composing): () => void {
  return watch('draft', (of, text, before) => {
    if (of !== repo) return
    const sent = text === null && before === here.text()
    if (here.typing() && !sent) return
    own.delete(repo)
    here.show(text ?? '')
  })
}
