/**
 * Runs orders about one thing one after another. An order's effect may be visible before its answer arrives, and then
 * the next one is given at once: it waits and isn't lost. Repeating the same key, as by a double click, isn't another
 * order.
 */
export class InTurn<Word> {
  #last: { word: Word; done: Promise<unknown> } | null = null

  /** Runs it once the previous ones have ended, in whatever way. `null`: the same key was repeated. */
  async run<T>(word: Word, order: () => Promise<T>): Promise<T | null> {
    if (this.#last?.word === word) return null
    const carried = (this.#last?.done ?? Promise.resolve()).then(order)
    const mine = { word, done: carried.catch(() => undefined) }
    this.#last = mine
    try {
      return await carried
    } finally {
      if (this.#last === mine) this.#last = null
    }
  }
}
