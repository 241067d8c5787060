import { api, type AtMost } from '../link/api'
import { troubleOf } from '../link/http'
import { bytes } from '../parts/words'
import type { Repo, Trouble } from '../wire/types'
import { app } from './app.svelte'
import { here } from './here.svelte'
import { InTurn } from './in-turn'
import { toasts } from './toasts.svelte'

/** An order that may need to be confirmed, to be carried out although it loses the work that was named. */
export interface Doubt {
  repo: string
  order: Verb | 'engine' | 'continue' | 'copy'
  trouble: Trouble
  again: () => void
}

export type Verb = 'pause' | 'resume' | 'fresh' | 'stop' | 'interrupt' | 'pin' | 'unpin' | 'remove' | 'ensure' | 'fork' | 'whenFree'

/** An order that is refused if it would lose other work than it may cut off. */
type Order = (atMost: AtMost) => Promise<void>

const WORK_WOULD_BE_LOST = 'work_would_be_lost'

/** Orders to repos: those in progress, and those that were refused, kept where the repo is shown. */
class Orders {
  readonly #turns = new Map<string, InTurn<string>>()
  #busy = $state.raw<ReadonlyMap<string, Doubt['order']>>(new Map())
  #troubles = $state.raw<ReadonlyMap<string, Trouble>>(new Map())
  doubt = $state.raw<Doubt | null>(null)

  busy(repo: string): Doubt['order'] | null {
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

  give(repo: string, verb: Verb): Promise<boolean> {
    if (verb === 'fork') return this.#goOn(repo, verb, verb, () => api.fork(repo))
    return this.#inTurn(repo, verb, verb, (atMost) => this.#carryOut(repo, verb, atMost))
  }

  /** Changes to another engine. */
  switchTo(repo: string, engine: string): Promise<boolean> {
    return this.#inTurn(repo, 'engine', `engine ${engine}`, (atMost) => put(api.engine(repo, engine, atMost)))
  }

  async #inTurn(repo: string, name: Doubt['order'], word: string, order: Order, atMost: AtMost = null): Promise<boolean> {
    const turn = this.#turns.get(repo) ?? new InTurn()
    this.#turns.set(repo, turn)
    const again = (named: AtMost) => void this.#inTurn(repo, name, word, order, named)
    const given = await turn.run(atMost === null ? word : `${word} at most ${atMost}`, () => this.#give(repo, name, order, atMost, again))
    return given ?? false
  }

  async #give(repo: string, name: Doubt['order'], order: Order, atMost: AtMost, again: (named: AtMost) => void): Promise<boolean> {
    this.tell(repo, null)
    this.#busy = new Map(this.#busy).set(repo, name)
    try {
      await order(atMost)
      return true
    } catch (error) {
      const trouble = troubleOf(error)
      if (trouble.code === WORK_WOULD_BE_LOST) this.doubt = { repo, order: name, trouble, again: () => again(trouble.work ?? null) }
      else this.tell(repo, trouble)
      return false
    } finally {
      const left = new Map(this.#busy)
      left.delete(repo)
      this.#busy = left
    }
  }

  resumeConversation(repo: string, conversation: string): Promise<boolean> {
    return this.#goOn(repo, 'continue', `continue ${conversation}`, () => api.resume(repo, conversation))
  }

  /** Continues with a copy of the conversation; the original stays as it is. */
  forkConversation(repo: string, conversation: string): Promise<boolean> {
    return this.#goOn(repo, 'copy', `copy ${conversation}`, () => api.fork(repo, conversation))
  }

  /**
   * Changes to something else. That interrupts nothing on its own: what works is stopped first, once somebody has confirmed
   * that and if it still works then. Stop may lose more than was named, such as asks that wait: then it is asked about again.
   */
  #goOn(repo: string, name: Doubt['order'], word: string, order: () => Promise<{ repo: Repo }>): Promise<boolean> {
    return this.#inTurn(repo, name, word, async (atMost) => {
      if (atMost === null) return put(order())
      if (await undisturbed(order)) return
      await put(api.stop(repo, atMost))
      await put(order())
    })
  }

  async #carryOut(repo: string, verb: Exclude<Verb, 'fork'>, atMost: AtMost): Promise<void> {
    switch (verb) {
      case 'pause': {
        const paused = await app.quietly('paused', () => api.pause(repo, atMost))
        app.show(paused.repo)
        // If it is in view, its header shows this.
        if (here.repo === repo) return
        const freed = paused.freed_bytes === null ? '' : ` ${bytes(paused.freed_bytes)} freed.`
        return toasts.say(`${paused.repo.name} is paused.${freed}`, repo)
      }
      case 'remove': {
        const name = app.repo(repo)?.name ?? 'The repo'
        await api.remove(repo, atMost)
        if (here.repo === repo) here.go({ page: 'home' })
        return toasts.say(`${name} was removed from Repose. Its folder and conversations are untouched.`)
      }
      case 'pin':
      case 'unpin':
        return put(api.pin(repo, verb === 'pin'))
      case 'fresh':
      case 'stop':
        return put(api[verb](repo, atMost))
      case 'resume':
        return put(api.resume(repo))
      case 'ensure':
      case 'interrupt':
      case 'whenFree':
        return put(api[verb](repo))
    }
  }
}

/** Carries an order out. False: it was refused, since it would lose work. */
async function undisturbed(order: () => Promise<{ repo: Repo }>): Promise<boolean> {
  try {
    await put(order())
    return true
  } catch (error) {
    if (troubleOf(error).code === WORK_WOULD_BE_LOST) return false
    throw error
  }
}

async function put(answer: Promise<{ repo: Repo }>): Promise<void> {
  app.show((await answer).repo)
}

export const orders = new Orders()
