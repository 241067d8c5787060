import { api } from '../link/api'
import { Refused, troubleOf } from '../link/http'
import type { AskShown, Entry, Repo, Trouble } from '../wire/types'
import { app } from './app.svelte'
import {
  cameToNothing,
  ELSEWHERE,
  idUntilAnswered,
  outcome,
  pending,
  remembered,
  seen,
  unanswered,
  written,
  type Away,
  type Failed,
  type Outcome,
  type Sent,
  type Unanswered,
} from './asked'
import { orders } from './orders.svelte'
import { read, write } from './stored'

/** What this page asked, until it is visible in the conversation. */
class Asks {
  #sent = $state.raw<ReadonlyMap<string, readonly Sent[]>>(new Map())
  /** What was accepted and ended without an answer, until it is asked again or dismissed. */
  #failed = $state.raw<ReadonlyMap<string, readonly Failed[]>>(new Map())
  /** Questions in the conversation that were dismissed. */
  #away = $state.raw<ReadonlyMap<string, readonly Away[]>>(new Map())
  /** Questions that are asked once more now, and so not shown: they stay stored until that is accepted. */
  #once = $state.raw<ReadonlySet<string>>(new Set())
  /** What is to be asked again, for the composer. */
  #again = $state.raw<ReadonlyMap<string, string>>(new Map())
  #looking = new Set<string>()
  /** Repos whose asks from before a reload have been taken in. */
  #known = new Set<string>()

  /**
   * Sends an ask. `queue`: whether it waits if it can't be sent now. Returns the trouble that prevented its acceptance,
   * or null.
   */
  async ask(repo: string, text: string, queue = this.#waits(repo)): Promise<Trouble | null> {
    const at = Date.now()
    const now = app.repo(repo)
    const sent: Sent = { id: idUntilAnswered(at), text, at, conversation: now?.conversation?.id ?? null }
    this.#remember(repo)
    this.#put(repo, [...this.#of(repo), sent])
    try {
      const answered = await api.ask(repo, text, queue)
      app.show(answered.repo)
      this.#put(repo, this.#of(repo).map((ask) => (ask === sent ? { ...sent, id: answered.ask } : ask)))
      return null
    } catch (error) {
      this.#put(repo, this.#of(repo).filter((ask) => ask !== sent))
      return troubleOf(error)
    }
  }

  /** Whether a repo is to be opened once it is closed elsewhere, or resumed: an ask waits for that. */
  #waits(repo: string): boolean {
    const now = app.repo(repo)
    return now !== null && (now.opens_when_free || now.state === 'paused')
  }

  pending(repo: Repo, entries: readonly Entry[], whole: boolean): AskShown[] {
    return pending(repo, this.#of(repo.id), entries, whole)
  }

  cameToNothing(repo: Repo, entries: readonly Entry[], whole: boolean): Unanswered[] {
    const away = this.#away.get(repo.id)?.filter(({ conversation }) => conversation === (repo.conversation?.id ?? null)) ?? []
    const hidden = ({ id }: Unanswered) => this.#once.has(inRepo(repo.id, id)) || away.some((one) => one.id === id)
    return cameToNothing(repo, this.#failedOf(repo.id), entries, whole).filter((ask) => !hidden(ask))
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

  /** Forgets what is visible in the conversation by now, and looks up the outcome of what nobody reports. */
  settle(repo: Repo, entries: readonly Entry[]): void {
    this.#remember(repo.id)
    const failed = this.#failedOf(repo.id)
    const told = seen(failed, entries)
    if (told !== failed) this.#putFailed(repo.id, told)
    const sent = this.#of(repo.id)
    if (sent.length === 0) return
    const left = pending({ ...repo, asks: [] }, sent, entries, true).map((ask) => ask.id)
    const kept = sent.filter((ask) => left.includes(ask.id))
    if (kept.length !== sent.length) this.#put(repo.id, kept)
    const known = new Set(repo.asks.map((ask) => ask.id))
    for (const ask of kept) {
      if (!unanswered(ask) && !known.has(ask.id)) void this.#learn(repo.id, ask)
    }
  }

  /** Opens a repo once its conversation is closed elsewhere, and sends what couldn't be sent because of that. */
  async openWhenFree(repo: string): Promise<void> {
    if (!(await orders.give(repo, 'whenFree'))) return
    // Each is looked for anew: it may be dismissed or asked again while the one before it is on its way.
    const next = () => this.#failedOf(repo).find(({ id, trouble }) => trouble.code === ELSEWHERE && !this.#once.has(inRepo(repo, id)))
    for (let ask = next(); ask; ask = next()) {
      const { id } = ask
      // The order was accepted, which the stream may not have told yet.
      const refused = await this.#askOnce(repo, ask, true)
      if (refused) return this.#putFailed(repo, this.#failedOf(repo).map((one) => (one.id === id ? { ...one, trouble: refused } : one)))
    }
  }

  /** Asks a question once more, and dismisses it once that is accepted. */
  async #askOnce(repo: string, { id, text, entry = null }: { id: string; text: string; entry?: string | null }, queue: boolean): Promise<Trouble | null> {
    const once = inRepo(repo, id)
    this.#once = new Set(this.#once).add(once)
    try {
      const refused = await this.ask(repo, text, queue)
      if (!refused) this.away(repo, { id, entry })
      return refused
    } finally {
      const left = new Set(this.#once)
      left.delete(once)
      this.#once = left
    }
  }

  /** Passes a question to the composer, and dismisses it here. */
  again(repo: string, ask: Unanswered): void {
    this.away(repo, ask)
    this.#again = new Map(this.#again).set(repo, [this.#again.get(repo), ask.text].filter(Boolean).join('\n'))
  }

  /** Queues a question as it is until Resume. */
  async later(repo: string, { id, text, entry }: Unanswered): Promise<void> {
    if (text === null || this.#once.has(inRepo(repo, id))) return
    orders.tell(repo, await this.#askOnce(repo, { id, text, entry }, this.#waits(repo)))
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

  /** Dismisses a question, whatever else may be said of it. */
  away(repo: string, { id, entry }: Pick<Unanswered, 'id' | 'entry'>): void {
    if (entry !== null) {
      const away = [...(this.#away.get(repo) ?? []), { conversation: app.repo(repo)?.conversation?.id ?? null, id: entry }]
      this.#away = new Map(this.#away).set(repo, away.slice(-AWAY_MAX))
    }
    this.#putFailed(repo, this.#failedOf(repo).filter((ask) => ask.id !== id))
  }

  /** The outcome of an ask that the server doesn't report and that isn't in the conversation. */
  async #learn(repo: string, ask: Sent): Promise<void> {
    if (this.#looking.has(ask.id)) return
    this.#looking.add(ask.id)
    const waits = () => this.#of(repo).some((one) => one.id === ask.id)
    while (waits()) {
      const became = await this.#outcome(ask.id)
      if (!waits()) break
      // The server may no longer know an ask from before a reload.
      if (became === 'answered' || (ask.before && became !== 'goes on' && became.code === 'no_such_ask')) this.#drop(repo, ask.id)
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
    this.#putFailed(repo, [...this.#failedOf(repo), failed].slice(-FAILED_MAX))
    // The ways out of this one are buttons beside the repo's own notices.
    if (trouble.code === ELSEWHERE) orders.tell(repo, trouble)
  }

  #drop(repo: string, ask: string): void {
    this.#put(repo, this.#of(repo).filter((one) => one.id !== ask))
  }

  #of(repo: string): readonly Sent[] {
    return this.#sent.get(repo) ?? []
  }

  #failedOf(repo: string): readonly Failed[] {
    return this.#failed.get(repo) ?? []
  }

  #put(repo: string, sent: readonly Sent[]): void {
    this.#sent = new Map(this.#sent).set(repo, sent)
    this.#keep(repo)
  }

  #putFailed(repo: string, failed: readonly Failed[]): void {
    this.#failed = new Map(this.#failed).set(repo, failed)
    this.#keep(repo)
  }

  #keep(repo: string): void {
    write('asks', repo, written({ sent: this.#of(repo), failed: this.#failedOf(repo), away: this.#away.get(repo) ?? [] }))
  }

  /** Takes in what was asked before a reload, once. */
  #remember(repo: string): void {
    if (this.#known.has(repo)) return
    this.#known.add(repo)
    const before = remembered(read('asks', repo), Date.now())
    if (!before) return
    const known = new Set([...this.#of(repo), ...this.#failedOf(repo)].map(({ id }) => id))
    this.#away = new Map(this.#away).set(repo, [...before.away, ...(this.#away.get(repo) ?? [])])
    const others = <A extends Sent>(asks: readonly A[]) => asks.filter(({ id }) => !known.has(id))
    this.#sent = new Map(this.#sent).set(repo, [...others(before.sent), ...this.#of(repo)])
    this.#failed = new Map(this.#failed).set(repo, [...others(before.failed), ...this.#failedOf(repo)])
  }
}

/** Ids of entries may occur in several repos. */
const inRepo = (repo: string, id: string) => `${repo} ${id}`

/** How often to look up the outcome of an ask while nobody reports it, in milliseconds. */
const LOOK_AGAIN = 1_000
/** The most failed asks to keep, since nobody goes through more: the oldest is dropped. */
const FAILED_MAX = 20
/** The most dismissed questions of a repo to remember, since few are cut off: the oldest is offered again. */
const AWAY_MAX = 100

export const asks = new Asks()
