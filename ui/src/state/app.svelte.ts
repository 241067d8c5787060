import { api } from '../link/api'
import { Events, type News } from '../link/events'
import { wantMissing } from '../link/piece.svelte'
import type { Delta, Repo } from '../wire/types'
import { here } from './here.svelte'
import { homeOf } from '../parts/words'
import { toasts } from './toasts.svelte'
import { keepOnly } from './stored'
import { EMPTY, reduce, shown, type Model } from './reduce'

/** What not every server can do, and the route that says that this one can. */
const PATHS = {
  answer: '/api/repos/{id}/answer',
  asks: '/api/repos/{id}/asks/{ask}',
  complete: '/api/complete',
  conversations: '/api/repos/{id}/conversations',
  diagnostics: '/api/diagnostics',
  doctor: '/api/doctor',
  engine: '/api/repos/{id}/engine',
  engines: '/api/engines',
  folders: '/api/folders',
  fork: '/api/repos/{id}/fork',
  image: '/api/repos/{id}/images/{name}',
  images: '/api/repos/{id}/images',
  log: '/api/diagnostics/log',
  settings: '/api/settings',
  show: '/api/repos/{id}/show',
} as const

type Notice = Extract<Delta, { kind: 'notice' }>

export type Feature = keyof typeof PATHS

/** What an order leads to may be told so much after its answer: on the way are two connections. */
const TOLD_AFTER = 2_000

/** What the server can do is asked for again after this, while it answers other things. */
const LEARN_AGAIN = 1_000

/** The page's one copy of what the server told. */
class App {
  #model = $state.raw<Model>(EMPTY)
  #paths = $state.raw<ReadonlySet<string>>(new Set())
  #events: Events | undefined
  #watchers = new Set<(delta: Delta) => void>()
  /** Codes of notices that an order of this page brings about, and which it tells of itself. */
  #ordered: string[] = []
  #byId = $derived(new Map(this.#model.repos.map((repo) => [repo.id, repo])))

  /** The home folder of whose Repose this is. Null: not known (yet). */
  home = $state<string | null>(null)

  get model(): Model {
    return this.#model
  }

  repo(id: string | null): Repo | null {
    return (id !== null && this.#byId.get(id)) || null
  }

  /** Whether the server can do this. The page offers nothing else. */
  can(feature: Feature): boolean {
    return this.#paths.has(PATHS[feature])
  }

  start(): void {
    this.#events = new Events((news) => this.#news(news))
    this.#events.start()
  }

  retryNow(): void {
    this.#events?.hurry()
  }

  /** Puts in a repo that an answer showed and the stream hasn't told of yet. */
  show(repo: Repo): void {
    this.#model = shown(this.#model, repo, Date.now())
  }

  /** Tells of every change. Returns the way to stop that. */
  watch(see: (delta: Delta) => void): () => void {
    this.#watchers.add(see)
    return () => this.#watchers.delete(see)
  }

  /** Carries out an order that tells by itself what notices of this code would tell. */
  async quietly<T>(code: string, order: () => Promise<T>): Promise<T> {
    this.#ordered.push(code)
    try {
      return await order()
    } finally {
      setTimeout(() => this.#ordered.splice(this.#ordered.indexOf(code), 1), TOLD_AFTER)
    }
  }

  /** What happens in the repo that is looked at is seen there. */
  #notice({ id, code, sentence }: Notice): void {
    if (this.#ordered.includes(code)) return
    if (id === here.repo && document.visibilityState === 'visible') return
    const name = this.repo(id)?.name
    toasts.say(name ? `${name}: ${sentence}` : sentence, id || null)
  }

  async #learn(): Promise<void> {
    while (this.#model.link === 'live') {
      try {
        this.#paths = await api.paths()
        break
      } catch {
        // What was known before still holds.
        await new Promise((done) => setTimeout(done, LEARN_AGAIN))
      }
    }
    // Its settings lie in it, unless somebody put them elsewhere; without it paths stand whole.
    const settings = this.can('settings') ? await api.settings().catch(() => null) : null
    if (settings) this.home = homeOf(settings.file)
  }

  #news(news: News): void {
    const before = this.#model.link
    this.#model = reduce(this.#model, news, Date.now())
    if (before !== 'live' && this.#model.link === 'live') {
      void this.#learn()
      wantMissing()
    }
    if (this.#model.stale) this.#events?.resync()
    if (news.type === 'snapshot') keepOnly(new Set(news.snapshot.repos.map(({ id }) => id)))
    if (news.type !== 'delta') return
    if (news.delta.kind === 'removed') keepOnly(new Set(this.#model.repos.map(({ id }) => id)))
    for (const see of this.#watchers) see(news.delta)
    if (news.delta.kind === 'notice') this.#notice(news.delta)
  }
}

export const app = new App()
