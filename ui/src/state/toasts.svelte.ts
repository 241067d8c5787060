export interface Toast {
  id: number
  text: string
  repo: string | null
}

/** How long a toast stays, in milliseconds, unless it has the pointer or the focus. */
const STAYS = 6_000
/** The most toasts at once, since more would cover the page: the oldest is removed. */
const TOASTS_MAX = 3

class Toasts {
  list = $state.raw<readonly Toast[]>([])
  #next = 1
  #timers = new Map<number, ReturnType<typeof setTimeout>>()

  say(text: string, repo: string | null = null): void {
    const toast = { id: this.#next++, text, repo }
    const list = [...this.list.filter((other) => other.text !== text), toast]
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
