export interface Toast {
  id: number
  text: string
  /** Null: it is about none, or about several. */
  repo: string | null
  /** How to tell it of several repos. Null: each is told. */
  several: Several | null
  /** Of how many repos it tells. */
  count: number
  /** When the first of them was told. */
  at: number
}

/** The words for what happened in this many repos. */
type Several = (count: number) => string

/** How long a toast stays, in milliseconds, unless it has the pointer or the focus. */
const STAYS = 6_000
/** The most toasts at once, since more would cover the page: the oldest is removed. */
const TOASTS_MAX = 3
/** The span within which the same in several repos is told in one toast, in milliseconds: one order to all did it. */
const AT_ONCE = 2_000

class Toasts {
  list = $state.raw<readonly Toast[]>([])
  #next = 1
  #timers = new Map<number, ReturnType<typeof setTimeout>>()

  say(text: string, repo: string | null = null, several: Several | null = null): void {
    const now = Date.now()
    const first = several && this.list.find((other) => other.several === several && now - other.at < AT_ONCE)
    const id = this.#next++
    const toast: Toast = first
      ? { ...first, id, text: first.several?.(first.count + 1) ?? text, repo: null, count: first.count + 1 }
      : { id, text, repo, several, count: 1, at: now }
    // Of each repo only the newest.
    const isOver = (other: Toast) => other === first || other.text === toast.text || (repo !== null && other.repo === repo)
    const list = [...this.list.filter((other) => !isOver(other)), toast]
    for (const { id } of this.list) if (!list.slice(-TOASTS_MAX).some((left) => left.id === id)) this.drop(id)
    this.list = list.slice(-TOASTS_MAX)
    this.letGo(toast.id)
  }

  /** Somebody points at it: it stays. */
  keep(id: number): void {
    clearTimeout(this.#timers.get(id))
  }

  /** Nobody points at it (any more): it disappears on its own. */
  letGo(id: number): void {
    this.keep(id)
    this.#timers.set(id, setTimeout(() => this.drop(id), STAYS))
  }

  drop(id: number): void {
    this.keep(id)
    this.#timers.delete(id)
    this.list = this.list.filter((toast) => toast.id !== id)
  }
}

export const toasts = new Toasts()
