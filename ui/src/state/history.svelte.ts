import type { Repo } from '../wire/types'

/** Points kept for a repo: at one change a few seconds, the last quarter of an hour or more. */
const POINTS_MAX = 240

export type Points = readonly (readonly [number, number])[]

/** Memory of each repo over time, as far as this page has seen it. */
class History {
  #points = $state.raw<ReadonlyMap<string, Points>>(new Map())

  of(repo: string): Points {
    return this.#points.get(repo) ?? []
  }

  see(repos: readonly Repo[], now: number): void {
    const next = new Map(this.#points)
    for (const repo of repos) {
      const known = next.get(repo.id) ?? []
      const bytes = repo.memory?.bytes ?? 0
      if (bytes === 0 && known.length === 0) continue
      if (known.at(-1)?.[1] === bytes) continue
      next.set(repo.id, [...known, [now, bytes] as const].slice(-POINTS_MAX))
    }
    this.#points = next
  }
}

export const history = new History()
