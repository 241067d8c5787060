// What this browser stores for a repo: kept across reloads, and reported to its other tabs.

/** The names under which something is stored, each followed by the repo's id. */
export type Kept = 'draft' | 'words' | 'asks'

const key = (kept: Kept, repo: string) => `repose.${kept}.${repo}`
const KEY = /^repose\.(draft|words|asks)\.(.+)$/

export function read(kept: Kept, repo: string): string | null {
  try {
    return localStorage.getItem(key(kept, repo))
  } catch {
    return null
  }
}

/** Stores a text. Null: removes it. Returns false if it couldn't be stored. */
export function write(kept: Kept, repo: string, text: string | null): boolean {
  try {
    if (text === null) localStorage.removeItem(key(kept, repo))
    else localStorage.setItem(key(kept, repo), text)
    return true
  } catch {
    // The storage is full or forbidden: it lasts as long as the page.
    return false
  }
}

/** Removes what is stored for repos that no longer exist. */
export function keepOnly(repos: ReadonlySet<string>): void {
  try {
    const names = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at) ?? '')
    for (const name of names) {
      const repo = KEY.exec(name)?.[2]
      if (repo !== undefined && !repos.has(repo)) localStorage.removeItem(name)
    }
  } catch {
    // If nothing can be stored, there is nothing to remove.
  }
}

/** Reports what other tabs store from now on. Returns a function that stops that. */
export function watch(kept: Kept, see: (repo: string, text: string | null, before: string | null) => void): () => void {
  const told = ({ key, newValue, oldValue }: StorageEvent) => {
    const [, name, repo] = KEY.exec(key ?? '') ?? []
    if (name === kept && repo !== undefined) see(repo, newValue, oldValue)
  }
  addEventListener('storage', told)
  return () => removeEventListener('storage', told)
}
