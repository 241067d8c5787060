import { api } from '../link/api'
import { troubleOf } from '../link/http'
import type { AskShown, Entry, Repo, Trouble } from '../wire/types'
import { app } from './app.svelte'
import { pending, type Sent } from './asked'

/** What this page asked, until it is to be seen in the conversation. */
class Asks {
  #sent = $state.raw<ReadonlyMap<string, readonly Sent[]>>(new Map())

  /** Sends. The trouble that kept it from being accepted; null: it was. */
  async ask(repo: string, text: string): Promise<Trouble | null> {
    const at = Date.now()
    const sent: Sent = { id: `sent-${at}`, text, at }
    this.#put(repo, [...this.#of(repo), sent])
    try {
      const answered = await api.ask(repo, text)
      this.#put(repo, this.#of(repo).map((ask) => (ask === sent ? { ...sent, id: answered.ask } : ask)))
      app.show(answered.repo)
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
      this.#put(repo, this.#of(repo).filter((sent) => sent.id !== ask))
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

export const asks = new Asks()
