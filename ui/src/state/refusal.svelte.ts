import { untrack } from 'svelte'
import type { Trouble } from '../wire/types'
import { app } from './app.svelte'

/** Why something that was written isn't taken, for as long as it stands. Made while a component is. */
export class Refusal {
  why = $state.raw<Trouble | null>(null)

  constructor() {
    // What couldn't be sent without a runner can be sent once Repose answers again.
    $effect(() => {
      if (app.model.link === 'live') untrack(() => this.clear('runner_not_running'))
    })
  }

  /** Drops the reason, or only one with this code. */
  clear(code = this.why?.code): void {
    if (this.why?.code === code) this.why = null
  }
}
