import { outdated } from './outdated'

/** Parts that couldn't be loaded, tried again when the server answers. */
const missing = new Set<Piece<unknown>>()

/** A part of the page whose code is loaded on demand. */
export class Piece<T> {
  #value = $state.raw<T | null>(null)
  #failed = $state(false)
  #loading: Promise<void> | null = null

  constructor(readonly load: () => Promise<T>) {}

  /** Null: not loaded (yet). */
  get value(): T | null {
    return this.#value
  }

  /** Whether loading failed; it will be tried again. */
  get failed(): boolean {
    return this.#failed
  }

  /** Makes sure that it is loaded, now or once the server answers again. */
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

/** The server answers again: tries to load what is missing. */
export function wantMissing(): void {
  for (const piece of missing) void piece.want()
}
