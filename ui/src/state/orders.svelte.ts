import { api } from '../link/api'
import { troubleOf } from '../link/http'
import { bytes } from '../parts/words'
import type { Repo, Trouble } from '../wire/types'
import { app } from './app.svelte'
import { here } from './here.svelte'
import { InTurn } from './in-turn'
import { toasts } from './toasts.svelte'

/** What can be asked to be confirmed: the same order, carried out although it loses work. */
export interface Doubt {
  repo: string
  verb: Verb
  trouble: Trouble
}

export type Verb = 'pause' | 'resume' | 'fresh' | 'stop' | 'interrupt' | 'pin' | 'unpin' | 'remove' | 'ensure' | 'fork' | 'whenFree'

/** Orders to repos: which are under way, and what came of those that were refused, kept where the repo is shown. */
class Orders {
  readonly #turns = new Map<string, InTurn<string>>()
  #busy = $state.raw<ReadonlyMap<string, Verb>>(new Map())
  #troubles = $state.raw<ReadonlyMap<string, Trouble>>(new Map())
  doubt = $state.raw<Doubt | null>(null)

  busy(repo: string): Verb | null {
    return this.#busy.get(repo) ?? null
  }

  trouble(repo: string): Trouble | null {
    return this.#troubles.get(repo) ?? null
  }

  tell(repo: string, trouble: Trouble | null): void {
    const next = new Map(this.#troubles)
    if (trouble) next.set(repo, trouble)
    else next.delete(repo)
    this.#troubles = next
  }

  async give(repo: string, verb: Verb, interrupt = false): Promise<boolean> {
    const turn = this.#turns.get(repo) ?? new InTurn()
    this.#turns.set(repo, turn)
    const given = await turn.run(interrupt ? `${verb} all the same` : verb, () => this.#give(repo, verb, interrupt))
    return given ?? false
  }

  async #give(repo: string, verb: Verb, interrupt: boolean): Promise<boolean> {
    this.tell(repo, null)
    this.#busy = new Map(this.#busy).set(repo, verb)
    try {
      await this.#carryOut(repo, verb, interrupt)
      return true
    } catch (error) {
      const trouble = troubleOf(error)
      if (trouble.code === 'work_would_be_lost' && !interrupt) this.doubt = { repo, verb, trouble }
      else this.tell(repo, trouble)
      return false
    } finally {
      const left = new Map(this.#busy)
      left.delete(repo)
      this.#busy = left
    }
  }

  resumeConversation(repo: string, conversation: string): Promise<void> {
    return this.#goOn(repo, api.resume(repo, conversation))
  }

  /** With a copy of it; the other stays as it is. */
  forkConversation(repo: string, conversation: string): Promise<void> {
    return this.#goOn(repo, api.fork(repo, conversation))
  }

  async #goOn(repo: string, answer: Promise<{ repo: Repo }>): Promise<void> {
    this.tell(repo, null)
    try {
      await put(answer)
    } catch (error) {
      this.tell(repo, troubleOf(error))
    }
  }

  async #carryOut(repo: string, verb: Verb, interrupt: boolean): Promise<void> {
    switch (verb) {
      case 'pause': {
        const paused = await api.pause(repo, interrupt)
        app.show(paused.repo)
        // Where it is looked at, its header says so.
        if (here.repo === repo) return
        return toasts.say(`${paused.repo.name} is paused. ${bytes(paused.freed_bytes)} freed.`, repo)
      }
      case 'remove': {
        const name = app.repo(repo)?.name ?? 'The repo'
        await api.remove(repo, interrupt)
        if (here.repo === repo) here.go({ page: 'home' })
        return toasts.say(`${name} was removed from Repose. Its folder and conversations are untouched.`)
      }
      case 'pin':
      case 'unpin':
        return put(api.pin(repo, verb === 'pin'))
      case 'fresh':
      case 'stop':
        return put(api[verb](repo, interrupt))
      case 'resume':
        return put(api.resume(repo))
      case 'ensure':
      case 'interrupt':
      case 'fork':
      case 'whenFree':
        return put(api[verb](repo))
    }
  }
}

async function put(answer: Promise<{ repo: Repo }>): Promise<void> {
  app.show((await answer).repo)
}

export const orders = new Orders()
