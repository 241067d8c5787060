// Reports whether somebody uses the repo that this page shows. Being open, polling, hidden or behind another window
// doesn't count.

/** How often to report, in milliseconds: a use lasts two minutes with the server. */
const TOLD_EVERY = 30_000

/** Events that only a person causes. */
const DOINGS = ['pointerdown', 'keydown', 'wheel'] as const

export interface Using {
  /** To be called for each new connection, since the server may have forgotten the use with the one before. */
  again: () => void
  end: () => void
}

/** Reports when somebody uses the page, and when they no longer see it: one report after the other, so that the last counts. */
export function tellUse(say: (inUse: boolean) => Promise<unknown>, page: Window = window, now = () => Date.now()): Using {
  let told: number | null = null
  let last: Promise<unknown> = Promise.resolve()
  // Nobody waits for a word that is lost; the next one says the same.
  const tell = (inUse: boolean) => (last = last.then(() => say(inUse)).catch(() => undefined))
  const justNow = () => told !== null && now() - told < TOLD_EVERY
  const seen = () => page.document.visibilityState === 'visible'
  const used = () => {
    if (!seen() || justNow()) return
    told = now()
    void tell(true)
  }
  const left = () => {
    if (told === null) return
    told = null
    void tell(false)
  }
  const hidden = () => {
    if (!seen()) left()
  }
  for (const doing of DOINGS) page.addEventListener(doing, used, { passive: true, capture: true })
  page.document.addEventListener('visibilitychange', hidden)
  page.addEventListener('blur', left)
  const again = () => {
    if (justNow()) void tell(true)
    else told = null
  }
  const end = () => {
    for (const doing of DOINGS) page.removeEventListener(doing, used, { capture: true })
    page.document.removeEventListener('visibilitychange', hidden)
    page.removeEventListener('blur', left)
    left()
  }
  return { again, end }
}
