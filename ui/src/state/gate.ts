import { bytes, count, plural, sentence } from '../parts/words'
import type { Repo, Totals } from '../wire/types'

/** What applies while the gate is closed, in the command line's words. */
export const OPENS_NOT = 'nothing that sleeps opens until Resume all'

/** Whether a repo sleeps behind the closed gate. Only Resume opens it, its own or that of all. */
export const isShut = ({ state }: Pick<Repo, 'state'>, { gate }: Totals) => gate && state === 'asleep'

/** The state after Pause all: what couldn't be paused, or was asked since, continues. */
export function gated({ live, paused }: Totals): string {
  if (live === 0) return 'Everything is paused'
  const runs = `${live} still ${plural(live, 'runs', 'run')}`
  return `${paused === 0 ? runs : `${paused} paused, ${runs}`}; ${OPENS_NOT}.`
}

/** The same for somebody who is about to ask in a sleeping repo. */
export const shutWords = (totals: Totals) => (totals.live === 0 ? `${gated(totals)}: ${OPENS_NOT}.` : sentence(`${OPENS_NOT}.`))

/** The result of Pause all. `null`: nothing was paused; questions name what prevented the rest. */
export const pausedWords = (done: number, freed: number) => (done === 0 ? null : `${count(done, 'repo')} paused. ${bytes(freed)} freed.`)

/** The same, given elsewhere. */
export const pausedTogether = (done: number) => `${count(done, 'repo')} paused.`
