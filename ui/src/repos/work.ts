import type { Repo } from '../wire/types'
import { isLive } from './group'

/** The holds that are no work: an end of it loses every other. */
const NO_WORK = ['client', 'pinned']

/** Whether an end of it would lose something: work, or while nothing runs what waits for its turn. */
export const losesWork = (repo: Repo) =>
  isLive(repo.state) ? repo.state === 'working' || repo.holds.some(({ kind }) => !NO_WORK.includes(kind)) : repo.queued > 0

/** `a`, `a and b`, `a, b and c`; more than that are counted. */
export function named(repos: readonly Repo[]): string {
  const names = repos.map(({ name }) => name)
  return names.length > NAMED_MAX ? `these ${names.length}` : names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** More names don't fit on a button. */
const NAMED_MAX = 3
