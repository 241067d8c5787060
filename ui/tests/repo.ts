import type { Happened, HappenedKind, Hold, HoldKind, Repo } from '../src/wire/types'

/** A hold for tests, of one minute ago in a time of theirs. */
export function hold(kind: HoldKind, more: Partial<Hold> = {}): Hold {
  return { kind, since: '2026-01-01T11:59:00.000Z', detail: kind, subject: null, waits_for: null, work: true, ...more }
}

/** What happened last, for tests. */
export function happened(kind: HappenedKind, at: string, sentence = ''): Happened {
  return { kind, code: kind, sentence, early: null, at }
}

const LIVE: readonly Repo['state'][] = ['opening', 'ready', 'working', 'waiting']

/** A repo for tests, with what matters to the test in `more`. */
export function repo(id: string, more: Partial<Repo> = {}): Repo {
  return {
    id,
    name: id,
    path: `/code/${id}`,
    engine: 'claude',
    state: 'asleep',
    live: LIVE.includes(more.state ?? 'asleep'),
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
    interrupted: [],
    owner: null,
    opens_when_free: false,
    keeps: 'picked_up',
    picked_up_until: null,
    resume_command: null,
    ...more,
  }
}
