import { api } from '../link/api'
import { troubleOf } from '../link/http'
import type { Trouble } from '../wire/types'

/**
 * Pictures that are being stored for drafts. This continues while another repo is in view, and they wait for the
 * composer.
 */
class Images {
  #saving = $state.raw<ReadonlyMap<string, number>>(new Map())
  #saved = $state.raw<ReadonlyMap<string, readonly string[]>>(new Map())

  /** How many of a repo's pictures are being stored. */
  saving(repo: string): number {
    return this.#saving.get(repo) ?? 0
  }

  /** Stores pictures one after another. Returns the last trouble that prevented one. */
  async save(repo: string, files: readonly File[]): Promise<Trouble | null> {
    let trouble: Trouble | null = null
    this.#count(repo, files.length)
    for (const file of files) {
      try {
        const { path } = await api.image(repo, file)
        this.#saved = new Map(this.#saved).set(repo, [...(this.#saved.get(repo) ?? []), path])
      } catch (error) {
        trouble = troubleOf(error)
      } finally {
        this.#count(repo, -1)
      }
    }
    return trouble
  }

  /** Takes the paths of stored pictures, once. */
  take(repo: string): readonly string[] {
    const paths = this.#saved.get(repo)
    if (!paths) return []
    const left = new Map(this.#saved)
    left.delete(repo)
    this.#saved = left
    return paths
  }

  #count(repo: string, by: number): void {
    this.#saving = new Map(this.#saving).set(repo, this.saving(repo) + by)
  }
}

export const images = new Images()
