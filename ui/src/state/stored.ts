// What this browser keeps for a repo: over reloads, and told to its other tabs.

/** Names under which something is kept, each followed by the repo's id. */
export type Kept = 'draft' | 'asks'

const key = (kept: Kept, repo: string) => `repose.${kept}.${repo}`
const KEY = /^repose\.(draft|asks)\.(.+)$/

export function read(kept: Kept, repo: string): string | null {
  try {
    return localStorage.getItem(key(kept, repo))
  } catch {
    return null
  }
}

/** Null: nothing is to be kept. False: it couldn't be kept. */
export function write(kept: Kept, repo: string, text: string | null): boolean {
  try {
    if (text === null) localStorage.removeItem(key(kept, repo))
    else localStorage.setItem(key(kept, repo), text)
    return true
  } catch {
    // A full or forbidden storage: it lives as long as the page.
    return false
  }
}

/** Lets go of what is kept for repos that there are no more. */
export function keepOnly(repos: ReadonlySet<string>): void {
  try {
    const names = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at) ?? '')
    for (const name of names) {
      const repo = KEY.exec(name)?.[2]
      if (repo !== undefined && !repos.has(repo)) localStorage.removeItem(name)
    }
  } catch {
    // Where nothing can be kept, nothing is to be let go of.
  }
}

/** Tells what another tab keeps from now on. Returns the way to stop that. */
export function watch(kept: Kept, see: (repo: string, text: string | null, before: string | null) => void): () => void {
  const told = ({ key, newValue, oldValue }: StorageEvent) => {
    const [, name, repo] = KEY.exec(key ?? '') ?? []
    if (name === kept && repo !== undefined) see(repo, newValue, oldValue)
  }
  addEventListener('storage', told)
  return () => removeEventListener('storage', told)
}
