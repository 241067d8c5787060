import type { Repo } from '../src/wire/types'

/** A repo for tests, with what matters to the test in `more`. */
export function repo(id: string, more: Partial<Repo> = {}): Repo {
  return {
    id,
    name: id,
    path: `/code/${id}`,
    engine: 'claude',
    state: 'asleep',
    continuity: null,
    conversation: null,
    memory: null,
    freed_bytes: null,
    holds: [],
    reap_at: null,
    pinned: false,
    queued: 0,
    trouble: null,
    branch: null,
    since: null,
    last: null,
    asks: [],
    decision: null,
    owner: null,
    opens_when_free: false,
    keeps: 'picked_up',
    picked_up_until: null,
    resume_command: null,
    ...more,
  }
}
