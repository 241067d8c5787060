import { api } from '../link/api'
import { Refused, troubleOf } from '../link/http'
import type { AskShown, Entry, Repo, Trouble } from '../wire/types'
import { app } from './app.svelte'
import { idUntilAnswered, outcome, pending, unanswered, type Outcome, type Sent } from './asked'
import { orders } from './orders.svelte'

/** What this page asked, until it is to be seen in the conversation. */
class Asks {
  #sent = $state.raw<ReadonlyMap<string, readonly Sent[]>>(new Map())
  /** What was accepted and came to nothing, for the composer. */
  #back = $state.raw<ReadonlyMap<string, string>>(new Map())
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

  async withdraw(repo: string, ask: string): Promise<Trouble | null> {
    try {
      await api.withdraw(repo, ask)
      this.#drop(repo, ask)
      return null
    } catch (error) {
      return troubleOf(error)
    }
  }

  /** Forgets what is to be seen in the conversation by now, or whose repo has nothing under way. */
  settle(repo: Repo, entries: readonly Entry[]): void {
    const sent = this.#of(repo.id)
    if (sent.length === 0) return
    const left = pending({ ...repo, asks: [] }, sent, entries).map((ask) => ask.id)
    const idle = repo.state !== 'working' && repo.state !== 'opening' && repo.state !== 'waiting' && repo.queued === 0
    const kept = sent.filter((ask) => left.includes(ask.id) && !(idle && Date.now() - ask.at > IDLE_FORGETS))
    if (kept.length !== sent.length) this.#put(repo.id, kept)
    const known = new Set(repo.asks.map((ask) => ask.id))
    for (const ask of kept) {
      if (!unanswered(ask) && left.includes(ask.id) && !known.has(ask.id)) void this.#learn(repo.id, ask)
    }
  }

  /** Takes what came to nothing, once. */
  takeBack(repo: string): string | null {
    const text = this.#back.get(repo) ?? null
    if (text === null) return null
    const left = new Map(this.#back)
    left.delete(repo)
    this.#back = left
    return text
  }

  /** What became of an ask that the server doesn't tell of and that isn't in the conversation. */
  async #learn(repo: string, ask: Sent): Promise<void> {
    if (this.#looking.has(ask.id)) return
    this.#looking.add(ask.id)
    const waits = () => this.#of(repo).some((one) => one.id === ask.id)
    while (waits()) {
      const became = await this.#outcome(ask.id)
      if (!waits()) break
      if (became === 'over') this.#drop(repo, ask.id)
      else if (became !== 'goes on') this.#return(repo, ask, became)
      await new Promise((done) => setTimeout(done, LOOK_AGAIN))
    }
    this.#looking.delete(ask.id)
  }

  async #outcome(ask: string): Promise<Outcome> {
    try {
      await api.outcome(ask)
      return 'over'
    } catch (error) {
      return error instanceof Refused ? outcome(error) : 'goes on'
    }
  }

  #return(repo: string, ask: Sent, trouble: Trouble): void {
    this.#drop(repo, ask.id)
    this.#back = new Map(this.#back).set(repo, [this.#back.get(repo), ask.text].filter(Boolean).join('\n'))
    orders.tell(repo, trouble)
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

/** A repo that has been doing nothing for this long won't take what was sent any more. */
const IDLE_FORGETS = 15_000
/** While nobody tells what became of an ask, it is looked for this often. */
const LOOK_AGAIN = 1_000

export const asks = new Asks()
