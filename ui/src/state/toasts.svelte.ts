export interface Toast {
  id: number
  text: string
  repo: string | null
}

/** A toast stays this long; a pointer on it keeps it. */
const STAYS = 6_000
/** More at once would cover the page: the oldest goes. */
const TOASTS_MAX = 3

class Toasts {
  list = $state.raw<readonly Toast[]>([])
  #next = 1

  say(text: string, repo: string | null = null): void {
    const toast = { id: this.#next++, text, repo }
    this.list = [...this.list.filter((other) => other.text !== text), toast].slice(-TOASTS_MAX)
    setTimeout(() => this.drop(toast.id), STAYS)
  }

  drop(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id)
  }
}

export const toasts = new Toasts()
