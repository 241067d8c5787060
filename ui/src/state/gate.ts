import { bytes, count, sentence } from '../parts/words'
import type { Totals } from '../wire/types'

/** What holds while the gate is closed, as the command line says it. */
export const OPENS_NOT = 'nothing that sleeps opens until Resume all'

/** How it stands once all was to be paused: what couldn't be, or was asked since, goes on. */
export function gated({ live, paused }: Totals): string {
  if (live === 0) return 'Everything is paused'
  const runs = `${live} still ${live === 1 ? 'runs' : 'run'}`
  return `${paused === 0 ? runs : `${paused} paused, ${runs}`}; ${OPENS_NOT}.`
}

/** The same where somebody is about to ask in a repo that sleeps. */
export const shutWords = (totals: Totals) => (totals.live === 0 ? `${gated(totals)}: ${OPENS_NOT}.` : sentence(`${OPENS_NOT}.`))

/** What Pause all came to. `null`: nothing was paused; what kept the rest is asked about. */
export const pausedWords = (done: number, freed: number) => (done === 0 ? null : `${count(done, 'repo')} paused. ${bytes(freed)} freed.`)
