import type { Delta, Snapshot, Trouble } from '../wire/types'
import { refusal, Refused } from './http'
import { PAGE } from './page'
import { Framing } from './sse'

export type News =
  | { type: 'snapshot'; snapshot: Snapshot }
  | { type: 'delta'; delta: Delta }
  /** `refused`: the server answers, and this is why it sends no events. */
  | { type: 'gone'; refused: Trouble | null }
  | { type: 'locked' }

/**
 * The pauses between attempts, in milliseconds: doubled up to the longest, so that a runner that returns is seen
 * within a second.
 */
const RETRY_FIRST = 150
const RETRY_LONGEST = 800
/** The server sends something at least every 15 s; after this much silence the connection counts as dead. */
const SILENCE_MAX = 40_000
/** After this long out of sight, a page closes its stream: browsers allow six connections to one host over all tabs. */
const HIDDEN_MAX = 60_000

/** The event stream. Reports news in order and reconnects for ever; each connection begins with a snapshot. */
export class Events {
  #tell: (news: News) => void
  #stop = new AbortController()
  #retry = RETRY_FIRST
  #hidden: ReturnType<typeof setTimeout> | undefined
  #asleep = false
  #wake: (() => void) | undefined

  constructor(tell: (news: News) => void) {
    this.#tell = tell
  }

  start(): void {
    document.addEventListener('visibilitychange', () => this.#seen())
    window.addEventListener('online', () => this.#wake?.())
    void this.#run()
  }

  /** Drops the connection, so that the next one begins with a snapshot. */
  resync(): void {
    this.#stop.abort()
  }

  /** Tries again now, if an attempt is due later. */
  hurry(): void {
    this.#retry = RETRY_FIRST
    this.#wake?.()
  }

  #seen(): void {
    clearTimeout(this.#hidden)
    if (document.visibilityState === 'hidden') {
      this.#hidden = setTimeout(() => {
        this.#asleep = true
        this.resync()
      }, HIDDEN_MAX)
      return
    }
    this.#asleep = false
    this.hurry()
  }

  async #run(): Promise<never> {
    for (;;) {
      this.#stop = new AbortController()
      let refused: Trouble | null = null
      try {
        await this.#listen(this.#stop)
      } catch (error) {
        // Whatever ended it, the next connection begins with a snapshot.
        if (error instanceof Refused) refused = error.trouble
      }
      if (!this.#asleep && !this.#stop.signal.aborted) this.#tell({ type: 'gone', refused })
      await this.#pause()
    }
  }

  #pause(): Promise<void> {
    const wait = this.#asleep ? undefined : this.#retry
    this.#retry = Math.min(this.#retry * 2, RETRY_LONGEST)
    return new Promise((done) => {
      const timer = wait === undefined ? undefined : setTimeout(done, wait)
      this.#wake = () => {
        clearTimeout(timer)
        done()
      }
    })
  }

  async #listen(stop: AbortController): Promise<void> {
    const response = await fetch('/api/events', {
      headers: { Accept: 'text/event-stream', 'Repose-Page': PAGE },
      credentials: 'same-origin',
      cache: 'no-store',
      signal: stop.signal,
    })
    if (response.status === 401) {
      this.#tell({ type: 'locked' })
      this.#retry = RETRY_LONGEST
      // Not "gone", since it answers. Thrown so that the loop continues.
      stop.abort()
    }
    if (!response.ok || !response.body) throw await refusal(response)
    const framing = new Framing()
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let silence = setTimeout(() => void reader.cancel(), SILENCE_MAX)
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        clearTimeout(silence)
        silence = setTimeout(() => void reader.cancel(), SILENCE_MAX)
        for (const message of framing.push(value)) this.#message(message.event, message.data)
      }
    } finally {
      clearTimeout(silence)
    }
  }

  #message(event: string, data: string): void {
    if (data === '') return
    this.#retry = RETRY_FIRST
    const value = JSON.parse(data) as Snapshot | Delta
    if (event === 'snapshot' || 'repos' in value) this.#tell({ type: 'snapshot', snapshot: value as Snapshot })
    else this.#tell({ type: 'delta', delta: value as Delta })
  }
}
