import { api } from '../link/api'
import { troubleOf } from '../link/http'
import type { Outcomes, Trouble } from '../wire/types'
import { app } from './app.svelte'
import { pausedWords } from './gate'
import { InTurn } from './in-turn'
import { toasts } from './toasts.svelte'

/** Orders to all repos. Each refusal raises a question, repo by repo. */
class All {
  readonly #turn = new InTurn<'pause' | 'interrupt' | 'resume'>()
  refused = $state.raw<Outcomes['results']>([])
  resuming = $state(false)
  trouble = $state.raw<Trouble | null>(null)

  async pause(interrupt = false): Promise<void> {
    const outcomes = await this.#turn.run(interrupt ? 'interrupt' : 'pause', () => 
      this.#give(() => app.quietly('paused', () => api.pauseAll(interrupt))),
    )
    if (!outcomes) return
    const done = outcomes.results.filter((result) => !result.error).length
    const words = pausedWords(done, outcomes.freed_bytes)
    if (words) toasts.say(words)
  }

  async resume(): Promise<void> {
    this.resuming = true
    const outcomes = await this.#turn.run('resume', () => this.#give(() => api.resumeAll())).finally(() => (this.resuming = false))
    if (!outcomes) return
    toasts.say('No repo is paused any more. Each opens when something needs it.')
  }

  async #give(order: () => Promise<Outcomes>): Promise<Outcomes | null> {
    this.trouble = null
    try {
      const outcomes = await order()
      for (const { repo } of outcomes.results) app.show(repo)
      this.refused = outcomes.results.filter((result) => result.error)
      return outcomes
    } catch (error) {
      this.trouble = troubleOf(error)
      return null
    }
  }
}

export const all = new All()
