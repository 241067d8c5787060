import { api } from '../link/api'
import { Refused, troubleOf } from '../link/http'
import type { AskShown, Entry, Repo, Trouble } from '../wire/types'
import { app } from './app.svelte'
import {
  cameToNothing,
  idUntilAnswered,
  outcome,
  pending,
  settled,
  unanswered,
  type Failed,
  type Outcome,
  type Sent,
  type Unanswered,
} from './asked'
import { orders } from './orders.svelte'

/** What this page asked, until it is to be seen in the conversation. */
class Asks {
  #sent = $state.raw<ReadonlyMap<string, readonly Sent[]>>(new Map())
  /** What was accepted and came to nothing, until something is asked after it or somebody puts it away. */
  #failed = $state.raw<ReadonlyMap<string, readonly Failed[]>>(new Map())
  /** Questions of the conversation that were put away. */
  #away = $state.raw<ReadonlySet<string>>(new Set())
  /** What is to be asked again, for the composer. */
  #again = $state.raw<ReadonlyMap<string, string>>(new Map())
  #looking = new Set<string>()

  /** Sends. The trouble that kept it from being accepted; null: it was. */
  async ask(repo: string, text: string): Promise<Trouble | null> {
    const at = Date.now()
    const sent: Sent = { id: idUntilAnswered(at), text, at }
    this.#put(repo, [...this.#of(repo), sent])
    try {
      const answered = await api.ask(repo, text)
      app.show(answered.repo)
      this.#put(repo, this.#of(repo).map((ask) => (ask === sent ? { ...sent, id: answered.ask } : ask)))
      return null
    } catch (error) {
      this.#put(repo, this.#of(repo).filter((ask) => ask !== sent))
      return troubleOf(error)
    }
  }

  pending(repo: Repo, entries: readonly Entry[]): AskShown[] {
    return pending(repo, this.#of(repo.id), entries)
  }

  cameToNothing(repo: Repo, entries: readonly Entry[]): Unanswered[] {
    return cameToNothing(repo, this.#failed.get(repo.id) ?? [], entries).filter(({ id }) => !this.#away.has(id))
  }

  async withdraw(repo: string, ask: string): Promise<Trouble | null> {
    try {
      await api.withdraw(repo, ask)
      this.#drop(repo, ask)
      return null
    } catch (error) {
      return troubleOf(error)
    }
  }

  /** Forgets what is to be seen in the conversation by now, and learns what became of what nobody tells of. */
  settle(repo: Repo, entries: readonly Entry[]): void {
    const failed = this.#failed.get(repo.id) ?? []
    const open = failed.filter((ask) => !settled(ask, entries))
    if (open.length !== failed.length) this.#failed = new Map(this.#failed).set(repo.id, open)
    const sent = this.#of(repo.id)
    if (sent.length === 0) return
    const left = pending({ ...repo, asks: [] }, sent, entries).map((ask) => ask.id)
    const kept = sent.filter((ask) => left.includes(ask.id))
    if (kept.length !== sent.length) this.#put(repo.id, kept)
    const known = new Set(repo.asks.map((ask) => ask.id))
    for (const ask of kept) {
      if (!unanswered(ask) && !known.has(ask.id)) void this.#learn(repo.id, ask)
    }
  }

  /** Hands a question to the composer, and puts it away here. */
  again(repo: string, { id, text }: Unanswered): void {
    this.away(repo, id)
    this.#again = new Map(this.#again).set(repo, [this.#again.get(repo), text].filter(Boolean).join('\n'))
  }

  /** Takes what is to be asked again, once. */
  takeAgain(repo: string): string | null {
    const text = this.#again.get(repo) ?? null
    if (text === null) return null
    const left = new Map(this.#again)
    left.delete(repo)
    this.#again = left
    return text
  }

  away(repo: string, id: string): void {
    this.#away = new Set(this.#away).add(id)
    const failed = (this.#failed.get(repo) ?? []).filter((ask) => ask.id !== id)
    this.#failed = new Map(this.#failed).set(repo, failed)
  }

  /** What became of an ask that the server doesn't tell of and that isn't in the conversation. */
  async #learn(repo: string, ask: Sent): Promise<void> {
    if (this.#looking.has(ask.id)) return
    this.#looking.add(ask.id)
    const waits = () => this.#of(repo).some((one) => one.id === ask.id)
    while (waits()) {
      const became = await this.#outcome(ask.id)
      if (!waits()) break
      if (became === 'answered') this.#drop(repo, ask.id)
      else if (became !== 'goes on') this.#fail(repo, ask, became)
      await new Promise((done) => setTimeout(done, LOOK_AGAIN))
    }
    this.#looking.delete(ask.id)
  }

  async #outcome(ask: string): Promise<Outcome | 'answered'> {
    try {
      await api.outcome(ask)
      return 'answered'
    } catch (error) {
      return error instanceof Refused ? outcome(error) : 'goes on'
    }
  }

  #fail(repo: string, ask: Sent, trouble: Trouble): void {
    this.#drop(repo, ask.id)
    const failed: Failed = { ...ask, trouble, over: Date.now() }
    this.#failed = new Map(this.#failed).set(repo, [...(this.#failed.get(repo) ?? []), failed].slice(-FAILED_MAX))
    // The ways out of this one are buttons, which stand with the repo's own notices.
    if (trouble.code === 'owned_elsewhere') orders.tell(repo, trouble)
  }

  #drop(repo: string, ask: string): void {
    this.#put(repo, this.#of(repo).filter((one) => one.id !== ask))
  }

  #of(repo: string): readonly Sent[] {
    return this.#sent.get(repo) ?? []
  }

  #put(repo: string, sent: readonly Sent[]): void {
    this.#sent = new Map(this.#sent).set(repo, sent)
  }
}

/** While nobody tells what became of an ask, it is looked for this often. */
const LOOK_AGAIN = 1_000
/** More asks that came to nothing nobody goes through again: the oldest goes. */
const FAILED_MAX = 20

export const asks = new Asks()
