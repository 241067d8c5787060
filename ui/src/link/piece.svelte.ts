import { outdated } from './outdated'

/** What couldn't be loaded, and is tried again when the server answers. */
const missing = new Set<Piece<unknown>>()

/** A piece of the page whose code comes when it is wanted. */
export class Piece<T> {
  #value = $state.raw<T | null>(null)
  #failed = $state(false)
  #loading: Promise<void> | null = null

  constructor(readonly load: () => Promise<T>) {}

  /** Null: it isn't there (yet). */
  get value(): T | null {
    return this.#value
  }

  /** It couldn't be loaded; it will be tried again. */
  get failed(): boolean {
    return this.#failed
  }

  /** Sees to it that it is there, now or once the server answers again. */
  want(): Promise<void> {
    this.#loading ??= this.#load().finally(() => (this.#loading = null))
    return this.#loading
  }

  async #load(): Promise<void> {
    if (this.#value !== null) return
    try {
      this.#value = await this.load()
      this.#failed = false
      missing.delete(this)
    } catch {
      this.#failed = true
      missing.add(this)
      void outdated()
    }
  }
}

/** The server answers again: what is missing is tried once more. */
export function wantMissing(): void {
  for (const piece of missing) void piece.want()
}
