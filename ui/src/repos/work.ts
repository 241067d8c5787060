import type { Doubt } from '../state/orders.svelte'
import type { Repo } from '../wire/types'

/** Orders that also drop the queue of a live agent. */
const DROPS: readonly Doubt['order'][] = ['pause', 'stop', 'remove']

/** Whether an order would lose something: work, or a queue. The work of an agent that is opening isn't known yet. */
export const losesWork = ({ state, live, holds, queued }: Repo, order: Doubt['order'] = 'pause') =>
  state === 'opening' || (live && (state === 'working' || holds.some(({ work }) => work))) || (queued > 0 && (!live || DROPS.includes(order)))

const ANYWAY: Record<Doubt['order'], string | null> = {
  pause: 'Interrupt and pause',
  stop: 'Interrupt and stop',
  fresh: 'Interrupt and start fresh',
  remove: 'Interrupt and remove',
  engine: 'Interrupt and switch',
  fork: 'Stop and fork',
  continue: 'Stop and continue that one',
  copy: 'Stop and continue the copy',
  resume: null,
  interrupt: null,
  pin: null,
  unpin: null,
  ensure: null,
  whenFree: null,
}

/** Where nothing runs, what would be lost waits for its turn. */
const AT_REST: Partial<Record<Doubt['order'], string>> = { stop: 'Drop it and stop', fresh: 'Drop it and start fresh', remove: 'Drop it and remove' }

/** What carries an order out although it loses work, on a button. */
export const anyway = (order: Doubt['order'], live = true) => (live ? ANYWAY[order] : AT_REST[order]) ?? 'Go on'

/** `a`, `a and b`, `a, b and c`; further ones are counted. */
export function named(repos: readonly Repo[]): string {
  const names = repos.map(({ name }) => name)
  return names.length > NAMED_MAX ? `these ${names.length}` : names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** The most names that fit on a button. */
const NAMED_MAX = 3
