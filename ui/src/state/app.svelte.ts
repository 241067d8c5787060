import { api } from '../link/api'
import { Events, type News } from '../link/events'
import { wantMissing } from '../link/piece.svelte'
import type { Delta, Repo, Trouble } from '../wire/types'
import { here } from './here.svelte'
import { homeOf, shortened } from '../parts/words'
import { toasts } from './toasts.svelte'
import { keepOnly } from './stored'
import { pausedTogether } from './gate'
import { EMPTY, reduce, shown, type Model } from './reduce'

/** Features that older servers lack, each with the route that shows it. */
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

/** The most characters of a repo's name before what happened in it: a toast has two lines on a narrow page. */
const NAME_MAX = 32

/** What one order does to several repos, by the code of its notices. */
const SEVERAL: Record<string, (count: number) => string> = { paused: pausedTogether }

type Notice = Extract<Delta, { kind: 'notice' }>

export type Feature = keyof typeof PATHS

/** How long after an order's answer its notice may arrive, since they use two connections. */
const TOLD_AFTER = 2_000

/** How long to wait before asking the server again what it can do or is set to, while it answers other requests. */
const LEARN_AGAIN = 1_000

/** Asks until there is an answer. Null: there was none while it was `wanted`. */
async function persist<T>(ask: () => Promise<T>, wanted: () => boolean): Promise<T | null> {
  while (wanted()) {
    try {
      return await ask()
    } catch {
      await new Promise((done) => setTimeout(done, LEARN_AGAIN))
    }
  }
  return null
}

/** The page's only copy of the server's state. */
class App {
  #model = $state.raw<Model>(EMPTY)
  #paths = $state.raw<ReadonlySet<string>>(new Set())
  #events: Events | undefined
  #watchers = new Set<(delta: Delta) => void>()
  #anew = new Set<() => void>()
  /** Codes of notices that an order of this page causes and reports itself. */
  #ordered: string[] = []
  #byId = $derived(new Map(this.#model.repos.map((repo) => [repo.id, repo])))

  /** The home folder of the user who runs Repose. Null: not known (yet). */
  home = $state<string | null>(null)
  /** What is wrong with the settings' file. */
  settingsTrouble = $state.raw<Trouble | null>(null)

  get model(): Model {
    return this.#model
  }

  repo(id: string | null): Repo | null {
    return (id !== null && this.#byId.get(id)) || null
  }

  /** Whether the server has this feature. The page offers no others. */
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

  /** Adds a repo from an answer that the stream hasn't reported yet. */
  show(repo: Repo): void {
    this.#model = shown(this.#model, repo, Date.now())
  }

  /** Reports every change to a listener. Returns a function that stops that. */
  watch(see: (delta: Delta) => void): () => void {
    this.#watchers.add(see)
    return () => this.#watchers.delete(see)
  }

  /** Reports every snapshot: each new connection begins with one. Returns a function that stops that. */
  eachTimeAnew(see: () => void): () => void {
    this.#anew.add(see)
    return () => this.#anew.delete(see)
  }

  /** Carries out an order that reports its result itself, instead of notices with this code. */
  async quietly<T>(code: string, order: () => Promise<T>): Promise<T> {
    this.#ordered.push(code)
    try {
      return await order()
    } finally {
      setTimeout(() => this.#ordered.splice(this.#ordered.indexOf(code), 1), TOLD_AFTER)
    }
  }

  /** What happens in the repo that is in view can be seen there. */
  #notice({ id, code, sentence }: Notice): void {
    if (this.#ordered.includes(code)) return
    if (id === here.repo && document.visibilityState === 'visible') return
    const name = shortened(this.repo(id)?.name ?? '', NAME_MAX)
    toasts.say(name ? `${name}: ${sentence}` : sentence, id || null, SEVERAL[code] ?? null)
  }

  async #learn(): Promise<void> {
    // Without an answer what was known before remains valid.
    this.#paths = (await persist(() => api.paths(), () => this.#model.link === 'live')) ?? this.#paths
    await this.#readSettings()
  }

  async #readSettings(): Promise<void> {
    const read = this.#model.settingsRead
    if (!this.can('settings')) return
    const settings = await persist(() => api.settings(), () => this.#model.link === 'live' && read === this.#model.settingsRead)
    // If they have changed since, the news of that has had them read again.
    if (!settings || read !== this.#model.settingsRead) return
    // The settings file is in the home folder, unless somebody moved it; if that is unknown, paths are shown in full.
    this.home = homeOf(settings.file)
    this.settingsTrouble = settings.trouble
  }

  #news(news: News): void {
    const before = this.#model.link
    this.#model = reduce(this.#model, news, Date.now())
    if (before !== 'live' && this.#model.link === 'live') {
      void this.#learn()
      wantMissing()
    }
    if (news.type === 'snapshot' && before === 'live') void this.#readSettings()
    if (this.#model.stale) this.#events?.resync()
    if (news.type === 'snapshot') keepOnly(new Set(news.snapshot.repos.map(({ id }) => id)))
    if (news.type === 'snapshot') for (const see of this.#anew) see()
    if (news.type !== 'delta') return
    if (news.delta.kind === 'settings') void this.#readSettings()
    if (news.delta.kind === 'removed') keepOnly(new Set(this.#model.repos.map(({ id }) => id)))
    for (const see of this.#watchers) see(news.delta)
    if (news.delta.kind === 'notice') this.#notice(news.delta)
  }
}

export const app = new App()
