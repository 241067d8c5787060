import { api } from '../link/api'
import { troubleOf } from '../link/http'
import type { Outcomes, Trouble } from '../wire/types'
import { app } from './app.svelte'
import { pausedWords } from './gate'
import { InTurn } from './in-turn'
import { toasts } from './toasts.svelte'

/** Orders to all repos. Each refusal raises a question, repo by repo. */
class All {
  readonly #turn = new InTurn<'pause' | 'anyway' | 'resume'>()
  refused = $state.raw<Outcomes['results']>([])
  resuming = $state(false)
  trouble = $state.raw<Trouble | null>(null)

  async pause(): Promise<void> {
    this.#say(await this.#turn.run('pause', () => this.#give(() => app.quietly('paused', api.pauseAll))))
  }

  /** Pauses what was refused for work, and cuts off what was named of it. Other work is asked about again. */
  async pauseAnyway(): Promise<void> {
    const working = this.refused.filter(({ error }) => error?.code === 'work_would_be_lost')
    this.refused = this.refused.filter((one) => !working.includes(one))
    const outcomes = await this.#turn.run('anyway', () => app.quietly('paused', () => pauseEach(working)))
    if (!outcomes) return
    for (const { repo } of outcomes.results) app.show(repo)
    this.refused = [...this.refused, ...outcomes.results.filter(({ error }) => error)]
    this.#say(outcomes)
  }

  #say(outcomes: Outcomes | null): void {
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

async function pauseEach(refused: Outcomes['results']): Promise<Outcomes> {
  const results = await Promise.all(
    refused.map(async ({ repo, error }) => {
      try {
        const { repo: paused, freed_bytes } = await api.pause(repo.id, error?.work ?? null)
        return [{ repo: paused, freed_bytes, error: null }]
      } catch (reason) {
        const trouble = troubleOf(reason)
        // Nothing is live there any more: that is what was wanted.
        return trouble.code === 'nothing_to_pause' ? [] : [{ repo: app.repo(repo.id) ?? repo, freed_bytes: null, error: trouble }]
      }
    }),
  )
  const done = results.flat()
  return { results: done, freed_bytes: done.reduce((sum, { freed_bytes }) => sum + (freed_bytes ?? 0), 0) }
}

export const all = new All()
