import type { Repo } from '../wire/types'

/** Whether the engine keeps no conversation, like a shell: it is used only in its terminal and can't be paused. */
export function keepsNone(repo: Repo): boolean {
  return repo.keeps === 'nothing'
}
