import type { Repo } from '../wire/types'

/** Whether its engine keeps no conversation, as a shell: it is used in its terminal alone, and can't be paused. */
export function keepsNone(repo: Repo): boolean {
  return repo.keeps === 'nothing'
}
