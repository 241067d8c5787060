import { api } from '../link/api'
import { troubleOf } from '../link/http'
import { earlier, newest, type Loaded } from './pages'
import type { Found, Hit, Repo, Trouble } from '../wire/types'

/** Entries a page: several screens, and read off a transcript's end within milliseconds. */
const PAGE = 120
/** On the way to a place far up: as many as the server gives at a time. */
const FAR = 500
/** Entries with what is looked for that are kept: nobody steps through more. */
export const HITS_MAX = 2_000

/** One repo's current conversation, as far as it is loaded. */
export class Talk {
  loaded = $state.raw<Loaded | null>(null)
  trouble = $state.raw<Trouble | null>(null)
  paging = $state(false)
  #refreshing: Promise<void> | null = null
  #paging: Promise<boolean> | null = null
  #again = false

  constructor(
    readonly repo: string,
    readonly conversation: string | null,
  ) {}

  /** Takes in what was said since. Calls that come while one is under way become one more. */
  refresh(): Promise<void> {
    if (this.#refreshing) {
      this.#again = true
      return this.#refreshing
    }
    this.#refreshing = this.#refresh().finally(() => {
      this.#refreshing = null
      if (!this.#again) return
      this.#again = false
      void this.refresh()
    })
    return this.#refreshing
  }

  async #refresh(): Promise<void> {
    if (this.conversation === null) {
      this.loaded = { entries: [], before: null, skipped: 0 }
      return
    }
    try {
      const page = await api.page(this.repo, { conversation: this.conversation, limit: PAGE })
      this.loaded = (this.loaded && newest(this.loaded, page)) ?? page
      this.trouble = null
    } catch (error) {
      // What is shown stays; a runner that is gone has its own banner.
      const trouble = troubleOf(error)
      this.trouble = trouble.code === 'runner_not_running' ? this.trouble : trouble
    }
  }

  /** Loads the page before; who comes while one is under way gets that one. False: there is none, or it couldn't be had. */
  older(limit = PAGE): Promise<boolean> {
    this.#paging ??= this.#older(limit).finally(() => (this.#paging = null))
    return this.#paging
  }

  async #older(limit: number): Promise<boolean> {
    const before = this.loaded?.before
    if (!this.loaded || before === null || before === undefined) return false
    this.paging = true
    try {
      const page = await api.page(this.repo, { conversation: this.conversation, before, limit })
      // What was read anew meanwhile begins elsewhere: this page would leave a hole before it.
      if (this.loaded.before !== before) return false
      this.loaded = earlier(this.loaded, page)
      this.trouble = null
      return true
    } catch (error) {
      this.trouble = troubleOf(error)
      return false
    } finally {
      this.paging = false
    }
  }

  /** Has `more` load pages until what stands at this offset is there. False: it couldn't be had. */
  async reach(offset: number, more: (limit: number) => Promise<boolean>): Promise<boolean> {
    while ((this.loaded?.before ?? 0) > offset) if (!(await more(FAR))) return false
    return true
  }

  /**
   * Where a text stands before `before`, newest first, in pieces as the server finds them; ends at the beginning of the
   * conversation, or with {@link HITS_MAX}.
   */
  async *hits(q: string, before: number, signal: AbortSignal): AsyncGenerator<readonly Hit[]> {
    let count = 0
    for (let from: number | null = before; from !== null && count < HITS_MAX; ) {
      const found: Found = await api.find(this.repo, { q, conversation: this.conversation, before: from }, signal)
      count += found.hits.length
      yield found.hits
      from = found.before
    }
  }
}

/** The conversations that were looked at last stay loaded for the way back; older ones are let go of. */
const TALKS_MAX = 6
const talks = new Map<string, Talk>()

/** The repo's current conversation. Another conversation of the same repo is another talk. */
export function talkOf(repo: Repo): Talk {
  const conversation = repo.conversation?.id ?? null
  const known = talks.get(repo.id)
  const talk = known?.conversation === conversation ? known : new Talk(repo.id, conversation)
  talks.delete(repo.id)
  talks.set(repo.id, talk)
  for (const id of talks.keys()) {
    if (talks.size <= TALKS_MAX) break
    talks.delete(id)
  }
  return talk
}
