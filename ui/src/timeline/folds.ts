// Folds that somebody opens and closes in what scrolls.

/** Of what is opened, at least this part of the view shows, if there is so much of it. */
const SHOWS = 0.4

export interface Folds {
  /** Somebody presses one, which is about to open or close. */
  pressed: () => void
  /** It has opened. To see it, the view must move down by so many pixels. */
  opened: (by: number) => void
  closed: () => void
}

/** Reports what somebody does with folds. Returns a function that stops that. */
export function watchFolds(scroller: HTMLElement, { pressed, opened, closed }: Folds): () => void {
  const click = ({ target }: MouseEvent) => {
    const head = (target as Element).closest('summary')
    const fold = head?.parentElement
    if (!head || !(fold instanceof HTMLDetailsElement)) return
    pressed()
    fold.addEventListener('toggle', () => (fold.open ? opened(outOfView(scroller, fold, head)) : closed()), { once: true })
  }
  scroller.addEventListener('click', click)
  return () => scroller.removeEventListener('click', click)
}

/** How far to scroll until enough of a fold is in view, and no further than to its head. */
function outOfView(scroller: HTMLElement, fold: HTMLElement, head: HTMLElement): number {
  const [view, box, line] = [scroller, fold, head].map((one) => one.getBoundingClientRect()) as [DOMRect, DOMRect, DOMRect]
  const wanted = Math.min(box.bottom, line.bottom + view.height * SHOWS)
  return Math.max(0, Math.min(wanted - view.bottom, line.top - view.top))
}
