import type { News } from '../link/events'
import type { Delta, Repo, RepoState, Totals, Trouble } from '../wire/types'

/** `connecting`: nothing is known yet. `gone`: what is known stays shown. `locked`: not logged in. */
export type Link = 'connecting' | 'live' | 'gone' | 'locked'

export interface Model {
  link: Link
  seq: number
  repos: readonly Repo[]
  totals: Totals
  /** When each repo's state was first seen, in the page's milliseconds: for "Opening… 2 s". */
  since: ReadonlyMap<string, { state: RepoState; at: number }>
  /** Whether a number was missing, so that a new snapshot is needed. */
  stale: boolean
  /** Why the server, which answers, sends no events. */
  refused: Trouble | null
  settingsRead: number
  /** Repos that were removed: a late answer doesn't bring one back. */
  removed: ReadonlySet<string>
}

export const EMPTY: Model = {
  link: 'connecting',
  seq: 0,
  repos: [],
  totals: { live: 0, paused: 0, live_bytes: 0, freed_bytes: 0, gate: false },
  since: new Map(),
  stale: false,
  refused: null,
  settingsRead: 0,
  removed: new Set(),
}

/** The state after `news`, at `now` milliseconds. The server is the authority: a snapshot replaces everything. */
export function reduce(model: Model, news: News, now: number): Model {
  switch (news.type) {
    case 'gone':
      return {
        ...model,
        link: model.link === 'connecting' || model.link === 'locked' ? model.link : 'gone',
        refused: news.refused,
      }
    case 'locked':
      return { ...model, link: 'locked' }
    case 'snapshot': {
      const { seq, repos, totals } = news.snapshot
      const since = repos.reduce((known, repo) => mark(known, repo, now), model.since)
      return {
        ...model,
        link: 'live',
        stale: false,
        refused: null,
        seq,
        repos: sorted(repos),
        totals,
        since: prune(since, repos),
        settingsRead: model.settingsRead + 1,
        removed: without(new Set([...model.removed, ...model.repos.map(({ id }) => id)]), repos),
      }
    }
    case 'delta':
      return delta(model, news.delta, now)
  }
}

function delta(model: Model, delta: Delta, now: number): Model {
  // A number is repeated if a snapshot overtook it.
  if (delta.seq <= model.seq) return model
  if (delta.seq > model.seq + 1) return { ...model, stale: true }
  const next = { ...model, seq: delta.seq }
  switch (delta.kind) {
    case 'repo':
      return { ...next, repos: put(model.repos, delta.repo), removed: without(model.removed, [delta.repo]), since: mark(model.since, delta.repo, now) }
    case 'removed': {
      const repos = model.repos.filter((repo) => repo.id !== delta.id)
      return { ...next, repos, removed: new Set(model.removed).add(delta.id), since: prune(model.since, repos) }
    }
    case 'totals':
      return { ...next, totals: delta.totals }
    case 'settings':
      return { ...next, settingsRead: model.settingsRead + 1 }
    case 'notice':
    case 'grew':
      return next
    default:
      // An event from a newer server: its number counts, its content is for a newer page.
      return next
  }
}

/**
 * Adds a repo from an answer that the stream hasn't reported yet. What is known stays: the answer may be older than
 * what the stream has reported since, and nothing would correct that.
 */
export function shown(model: Model, repo: Repo, now: number): Model {
  if (model.removed.has(repo.id) || model.repos.some((known) => known.id === repo.id)) return model
  return { ...model, repos: put(model.repos, repo), since: mark(model.since, repo, now) }
}

function without(ids: ReadonlySet<string>, repos: readonly Repo[]): ReadonlySet<string> {
  const there = new Set(repos.map(({ id }) => id))
  return new Set([...ids].filter((id) => !there.has(id)))
}

function put(repos: readonly Repo[], repo: Repo): readonly Repo[] {
  const at = repos.findIndex((known) => known.id === repo.id)
  if (at < 0) return sorted([...repos, repo])
  const next = repos.with(at, repo)
  return repos[at]?.name === repo.name ? next : sorted(next)
}

function sorted(repos: readonly Repo[]): readonly Repo[] {
  return repos.toSorted((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))
}

function mark(since: Model['since'], repo: Repo, now: number): Model['since'] {
  const told = repo.since ? Date.parse(repo.since) : null
  const known = since.get(repo.id)
  if (known?.state === repo.state && (told === null || told === known.at)) return since
  return new Map(since).set(repo.id, { state: repo.state, at: told ?? now })
}

function prune(since: Model['since'], repos: readonly Repo[]): Model['since'] {
  if (since.size === repos.length) return since
  const ids = new Set(repos.map((repo) => repo.id))
  return new Map([...since].filter(([id]) => ids.has(id)))
}
