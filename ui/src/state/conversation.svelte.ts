import { api } from '../link/api'
import { troubleOf } from '../link/http'
import { alone, bounded, earlier, later, newest, type Loaded } from './pages'
import type { Found, Hit, Page, Repo, Trouble } from '../wire/types'

/** Entries a page: several screens, and read off a transcript's end within milliseconds. */
const PAGE = 120
/** On the way to a place far up: as many as the server gives at a time. */
const FAR = 500
/** More entries aren't kept drawn: the page would get slow. What goes can be read again. */
const ENTRIES_MAX = 3_000
/** How much of the transcript is read at a time from its beginning on, in bytes: some hundred kB hold several turns. */
const STEP = 400_000
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
      this.loaded = { entries: [], before: null, after: null, skipped: 0 }
      return
    }
    try {
      // What is looked at isn't the end: it is read when somebody goes there.
      if (this.loaded?.after != null) return
      const page = await this.#page(null, PAGE)
      if (this.loaded?.after != null) return
      this.loaded = (this.loaded && newest(this.loaded, page)) ?? alone(page)
      this.trouble = null
    } catch (error) {
      // What is shown stays; a runner that is gone has its own banner.
      const trouble = troubleOf(error)
      this.trouble = trouble.code === 'runner_not_running' ? this.trouble : trouble
    }
  }

  #page(before: number | null, limit: number): Promise<Page> {
    return api.page(this.repo, { conversation: this.conversation, before, limit })
  }

  /**
   * Loads the page before; who comes while one is under way gets that one. False: there is none, or it couldn't be had.
   * `all`: nothing is let go of for it.
   */
  older(limit = PAGE, all = false): Promise<boolean> {
    return this.#turn(async (now) => {
      const { before } = now
      if (before === null) return null
      const page = await this.#page(before, limit)
      // What was read anew meanwhile begins elsewhere: this page would leave a hole before it.
      if (this.loaded?.before !== before) return null
      const more = earlier(this.loaded, page)
      return all ? more : bounded(more, ENTRIES_MAX, 'late')
    })
  }

  /** Loads what comes after. False: there is none, or it couldn't be had. */
  later(): Promise<boolean> {
    return this.#turn(async (now) => {
      const { after } = now
      if (after === null) return null
      const run = await this.#run(after)
      return this.loaded?.after === after ? bounded(later(this.loaded, run), ENTRIES_MAX, 'early') : null
    })
  }

  /** Goes to its beginning. False: it is there, or couldn't be had. */
  async beginning(): Promise<boolean> {
    // A page that is under way isn't what is wanted.
    while (this.#paging) await this.#paging
    return this.#turn(async (now) => (now.before === null ? null : this.#run(0)))
  }

  /** Goes back to its end, where it isn't there. */
  async latest(): Promise<void> {
    if (this.loaded?.after == null) return
    this.loaded = null
    await this.refresh()
  }

  /** What stands in the transcript from an offset on: a step of it, or more where one step holds nothing. */
  async #run(from: number): Promise<Loaded> {
    const end = await this.#page(null, PAGE)
    for (let to = from + STEP; ; to += STEP) {
      const last = end.before === null || end.before <= to
      let run = last ? alone(end) : alone(await this.#page(to, FAR), to)
      while (run.before !== null && run.before > from) run = earlier(run, await this.#page(run.before, FAR))
      if (last || run.entries.length > 0) return run
    }
  }

  #turn(load: (now: Loaded) => Promise<Loaded | null>): Promise<boolean> {
    this.#paging ??= this.#load(load).finally(() => (this.#paging = null))
    return this.#paging
  }

  async #load(load: (now: Loaded) => Promise<Loaded | null>): Promise<boolean> {
    if (!this.loaded) return false
    this.paging = true
    try {
      const next = await load(this.loaded)
      this.trouble = null
      if (!next) return false
      this.loaded = next
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
