import { api } from '../link/api'
import { troubleOf } from '../link/http'
import { alone, bounded, earlier, later, newest, type Loaded } from './pages'
import type { Found, Hit, Page, Repo, Trouble } from '../wire/types'

/** Entries per page: several screens, read from a transcript's end within milliseconds. */
const PAGE = 120
/** Entries per page on the way to a distant place: as many as the server gives at a time. */
const FAR = 500
/** The most entries to keep drawn, since more would make the page slow. What is dropped can be read again. */
const ENTRIES_MAX = 3_000
/** How many bytes of the transcript to read at a time from its beginning: some hundred kB hold several turns. */
const STEP = 400_000
/** The most bytes to draw on the way to a distant place, some thousand short turns; beyond that, what is in between is left out. */
const LEAP = 10 * STEP
/** The most search results to keep: nobody steps through more. */
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

  /** Loads what was said since. Calls during a load are combined into one more. */
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
      // The end isn't in view: it is read when somebody goes there.
      if (this.loaded?.after != null) return
      const page = await this.#page(null, PAGE)
      if (this.loaded?.after != null) return
      this.loaded = (this.loaded && newest(this.loaded, page)) ?? alone(page)
      this.trouble = null
    } catch (error) {
      // What is shown stays; a missing runner has its own banner.
      const trouble = troubleOf(error)
      this.trouble = trouble.code === 'runner_not_running' ? this.trouble : trouble
    }
  }

  #page(before: number | null, limit: number): Promise<Page> {
    return api.page(this.repo, { conversation: this.conversation, before, limit })
  }

  /**
   * Loads the previous page; a call during a load shares its result. False: there is none, or it couldn't be loaded.
   * `all`: drop nothing for it.
   */
  older(limit = PAGE, all = false): Promise<boolean> {
    return this.#turn(async (now) => {
      const { before } = now
      if (before === null) return null
      const page = await this.#page(before, limit)
      // What was read again in the meantime begins elsewhere: this page would leave a gap before it.
      if (this.loaded?.before !== before) return null
      const more = earlier(this.loaded, page)
      return all ? more : bounded(more, ENTRIES_MAX, 'late')
    })
  }

  /** Loads what follows. False: there is nothing, or it couldn't be loaded. */
  later(): Promise<boolean> {
    return this.#turn(async (now) => {
      const { after } = now
      if (after === null) return null
      const run = await this.#run(after)
      return this.loaded?.after === after ? bounded(later(this.loaded, run), ENTRIES_MAX, 'early') : null
    })
  }

  /** Goes to its beginning. False: it is there already, or that couldn't be loaded. */
  beginning(): Promise<boolean> {
    return this.#leap(0)
  }

  /** Loads what begins at this offset in place of what is loaded, which comes later. */
  async #leap(to: number): Promise<boolean> {
    // A page that is being loaded isn't the one that is wanted.
    while (this.#paging) await this.#paging
    return this.#turn(async (now) => (now.before === null ? null : this.#run(to)))
  }

  /** Goes back to its end, if that isn't loaded. */
  async latest(): Promise<void> {
    if (this.loaded?.after == null) return
    this.loaded = null
    await this.refresh()
  }

  /** The entries in the transcript from an offset on: one step, or more if a step holds none. */
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

  /**
   * Loads the entry at this offset: if it is near, with all up to there by `more`; if it is far, in place of what is
   * loaded. False: it couldn't be loaded.
   */
  async reach(offset: number, more: (limit: number) => Promise<boolean>): Promise<boolean> {
    for (;;) {
      const before = this.loaded?.before ?? 0
      if (before <= offset) return true
      if (!(await (before - offset > LEAP ? this.#leap(offset) : more(FAR)))) return false
    }
  }

  /**
   * The places of a text before `before`, newest first, in the parts in which the server finds them; ends at the
   * beginning of the conversation, or with {@link HITS_MAX}.
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

/** How many recently viewed conversations stay loaded for the way back; older ones are dropped. */
const TALKS_MAX = 6
const talks = new Map<string, Talk>()

/** The repo's current conversation. Another conversation of the same repo has another key. */
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
