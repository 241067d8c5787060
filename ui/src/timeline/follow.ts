// Notices when somebody scrolls. Positions don't tell it: a layout that shrinks and grows within one frame moves the view
// too, and at its end a view that somebody scrolls down doesn't move. Only what a person does counts.

const UP = ['PageUp', 'ArrowUp', 'Home']
const DOWN = ['PageDown', 'ArrowDown', 'End']

/** What a press operates, instead of beginning a selection. */
const CONTROLS = 'a, button, summary, input, textarea, select'

const SCROLLS = ['auto', 'scroll']

interface Scrolls {
  /** Somebody scrolls up. */
  up: () => void
  /** Somebody scrolls down, or tries to where nothing is left below. */
  down: () => void
}

/** Tells each time somebody scrolls. Returns how to end that. */
export function watchScrolling(scroller: HTMLElement, { up, down }: Scrolls): () => void {
  const ends = new AbortController()
  const on = { passive: true, signal: ends.signal }
  /** A press on the scrollbar or on text may scroll while it lasts; one with the middle button, until the next press. */
  let press: 'none' | 'held' | 'middle' = 'none'
  let finger = 0
  let top = scroller.scrollTop

  /** Whether this would move the view, and not a box within it. */
  function moves(from: EventTarget | null): boolean {
    for (let box = from as Element | null; box && box !== scroller; box = box.parentElement) if (box.scrollTop > 0) return false
    // The browser may have scrolled to the top before it tells of the wheel: the present place says nothing.
    return scroller.scrollHeight > scroller.clientHeight
  }

  /** Whether a box within it has something left below, which comes first. */
  function isInside(from: EventTarget | null): boolean {
    for (let box = from as Element | null; box && box !== scroller; box = box.parentElement) {
      const left = box.scrollHeight - box.clientHeight - box.scrollTop
      if (left > 1 && SCROLLS.includes(getComputedStyle(box).overflowY)) return true
    }
    return false
  }

  const letGo = (from: EventTarget | null) => moves(from) && up()
  const goOn = (from: EventTarget | null) => isInside(from) || down()
  const release = () => press === 'held' && (press = 'none')

  scroller.addEventListener(
    'wheel',
    ({ deltaX, deltaY, ctrlKey, shiftKey, target }) => {
      // Neither zooming nor panning sideways, which a hand never does quite level.
      if (ctrlKey || shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) return
      if (deltaY < 0) letGo(target)
      else if (deltaY > 0) goOn(target)
    },
    on,
  )
  scroller.addEventListener('touchstart', ({ touches }) => (finger = touches[0]?.clientY ?? 0), on)
  scroller.addEventListener(
    'touchmove',
    ({ touches, target }) => {
      const before = finger
      finger = touches[0]?.clientY ?? 0
      if (finger > before) letGo(target)
      else if (finger < before) goOn(target)
    },
    on,
  )
  scroller.addEventListener(
    'keydown',
    ({ key, shiftKey, altKey, target }) => {
      const space = key === ' ' && !(target as Element).closest(CONTROLS)
      if ((space && shiftKey) || (UP.includes(key) && !altKey)) letGo(target)
      else if (space || (DOWN.includes(key) && !altKey)) goOn(target)
    },
    on,
  )
  scroller.addEventListener(
    'pointerdown',
    ({ button, target }) => {
      if ((target as Element).closest(CONTROLS)) press = 'none'
      else press = button === 1 ? 'middle' : 'held'
    },
    on,
  )
  // A press on a scrollbar may end without a `pointerup`.
  scroller.addEventListener('pointermove', ({ buttons }) => buttons === 0 && release(), on)
  for (const end of ['pointerup', 'pointercancel'] as const) window.addEventListener(end, release, on)
  scroller.addEventListener(
    'scroll',
    () => {
      if (press !== 'none' && scroller.scrollTop < top) up()
      top = scroller.scrollTop
    },
    on,
  )
  // The browser scrolls to what gets the focus. Whoever goes to something that isn't in view at the end leaves it.
  scroller.addEventListener(
    'focusin',
    ({ target }) => {
      const last = scroller.getBoundingClientRect().top - scroller.scrollTop + scroller.scrollHeight - scroller.clientHeight
      if (target !== scroller && (target as Element).getBoundingClientRect().bottom < last) up()
    },
    on,
  )
  return () => ends.abort()
}
