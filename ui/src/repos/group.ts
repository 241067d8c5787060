import type { Repo, RepoState } from '../wire/types'

const MARKS: readonly Mark[] = [
  'waiting',
  'failed',
  'working',
  'opening',
  'ready',
  'paused',
  'offline',
  'asleep',
]

export interface Group {
  title: string
  repos: Repo[]
}

/** What a repo's mark shows: its state, or that its last turn failed and nothing was said since. */
export type Mark = RepoState | 'failed'

export const markOf = ({ state, last }: Repo): Mark => (state === 'ready' && last?.kind === 'turn_over' ? 'failed' : state)

/** Whether there is a turn that can be interrupted. Without a decision, what it waits for may be asked before any turn. */
export const hasTurn = ({ state, decision }: Repo): boolean => state === 'working' || (state === 'waiting' && !!decision)

/** The repos that match the filter: live first, then paused, then those that can't open, then asleep. */
export function groups(repos: readonly Repo[], typed: string, mark: Mark | null): Group[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const live: Repo[] = []
  const paused: Repo[] = []
  const asleep: Repo[] = []
  const offline: Repo[] = []
  for (const repo of repos) {
    if (mark && markOf(repo) !== mark) continue
    if (!fits(repo, words)) continue
    if (repo.live) live.push(repo)
    else if (repo.state === 'paused') paused.push(repo)
    else if (repo.state === 'offline') offline.push(repo)
    else asleep.push(repo)
  }
  return [
    { title: 'Live', repos: live },
    { title: 'Paused', repos: paused },
    { title: 'Offline', repos: offline },
    { title: 'Asleep', repos: asleep },
  ].filter((group) => group.repos.length > 0)
}

/** Whether every word is in the name, the path, the branch or the word of its mark. */
export function fits(repo: Repo, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const text = `${repo.name} ${repo.path} ${repo.branch ?? ''} ${markOf(repo)}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** How many repos to put in a group whose drawing a browser skips when it is out of sight: about two screens. */
const CHUNK = 32

/** The repos in groups that are drawn, or not, together. */
export function chunks(repos: readonly Repo[]): Repo[][] {
  return Array.from({ length: Math.ceil(repos.length / CHUNK) }, (_, at) => repos.slice(at * CHUNK, (at + 1) * CHUNK))
}

/** How many repos have each mark, without marks that none has. */
export function tally(repos: readonly Repo[]): [Mark, number][] {
  const counts = new Map<Mark, number>()
  for (const repo of repos) counts.set(markOf(repo), (counts.get(markOf(repo)) ?? 0) + 1)
  return MARKS.flatMap((mark) => {
    const count = counts.get(mark)
    return count ? [[mark, count] as [Mark, number]] : []
  })
}
