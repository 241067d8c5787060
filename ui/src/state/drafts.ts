const KEY = 'repose.draft.'
/** A longer draft isn't kept over a reload: localStorage has about 5 MB for everything. */
const DRAFT_MAX = 200_000

const kept = new Map<string, string>()

/** The text that was typed and not sent in a repo. Kept over switches and reloads; another tab's is taken over. */
export function draft(repo: string): string {
  return kept.get(repo) ?? read(repo)
}

export function keep(repo: string, text: string): void {
  kept.set(repo, text)
  try {
    if (text === '' || text.length > DRAFT_MAX) localStorage.removeItem(KEY + repo)
    else localStorage.setItem(KEY + repo, text)
  } catch {
    // A full or forbidden storage: the draft lives as long as the page.
  }
}

function read(repo: string): string {
  try {
    return localStorage.getItem(KEY + repo) ?? ''
  } catch {
    return ''
  }
}
