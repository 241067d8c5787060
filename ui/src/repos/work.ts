import type { Repo } from '../wire/types'
import { isLive } from './group'

/** The holds that aren't work: an end loses all others. */
const NO_WORK = ['client', 'pinned']

/** Whether an end would lose something: work, or, while nothing runs, what waits for its turn. */
export const losesWork = (repo: Repo) =>
  isLive(repo.state) ? repo.state === 'working' || repo.holds.some(({ kind }) => !NO_WORK.includes(kind)) : repo.queued > 0

/** `a`, `a and b`, `a, b and c`; further ones are counted. */
export function named(repos: readonly Repo[]): string {
  const names = repos.map(({ name }) => name)
  return names.length > NAMED_MAX ? `these ${names.length}` : names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** The most names that fit on a button. */
const NAMED_MAX = 3
