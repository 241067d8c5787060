// Reports whether somebody uses the repo that this page shows. Being open, polling, hidden or behind another window
// doesn't count.

/** How often to report, in milliseconds: a use lasts two minutes with the server. */
const TOLD_EVERY = 30_000

/** Events that only a person causes. */
const DOINGS = ['pointerdown', 'keydown', 'wheel'] as const

/** Reports when somebody uses the page, and when they no longer see it. Returns a function that stops that. */
export function tellUse(tell: (inUse: boolean) => void, page: Window = window, now = () => Date.now()): () => void {
  let told: number | null = null
  const seen = () => page.document.visibilityState === 'visible'
  const used = () => {
    if (!seen() || (told !== null && now() - told < TOLD_EVERY)) return
    told = now()
    tell(true)
  }
  const left = () => {
    if (told === null) return
    told = null
    tell(false)
  }
  const hidden = () => {
    if (!seen()) left()
  }
  for (const doing of DOINGS) page.addEventListener(doing, used, { passive: true, capture: true })
  page.document.addEventListener('visibilitychange', hidden)
  page.addEventListener('blur', left)
  return () => {
    for (const doing of DOINGS) page.removeEventListener(doing, used, { capture: true })
    page.document.removeEventListener('visibilitychange', hidden)
    page.removeEventListener('blur', left)
    left()
  }
}
