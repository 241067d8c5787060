/** A clock that ticks only while something shows it. */
class Clock {
  #now = $state(Date.now())
  #period: number

  constructor(period: number) {
    this.#period = period
    setInterval(() => {
      if (document.visibilityState === 'visible') this.#now = Date.now()
    }, this.#period)
    document.addEventListener('visibilitychange', () => (this.#now = Date.now()))
  }

  get now(): number {
    return this.#now
  }
}

/** For "3 min ago". */
export const slow = new Clock(15_000)
/** For "Opening… 2 s". */
export const quick = new Clock(500)
