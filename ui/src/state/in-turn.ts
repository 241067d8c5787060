/**
 * Orders about one thing, one after another. What an order does may be seen before its answer comes, and then the next
 * one is given at once: it waits, and isn't lost. The same word again, as from a double click, is no further order.
 */
export class InTurn<Word> {
  #last: { word: Word; done: Promise<unknown> } | null = null

  /** Carries it out when the ones before are over, however they ended. `null`: it was the same word again. */
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
