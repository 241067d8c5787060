// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from 'vitest'
import { watchScrolling } from './follow'

let scroller: HTMLElement
const up = vi.fn()
const down = vi.fn()

beforeEach(() => {
  document.body.innerHTML = '<div><p>Said.</p><pre>inner</pre><button>Card</button></div>'
  scroller = document.querySelector('div') as HTMLElement
  scroller.scrollTop = 500
  tall(2_000)
  up.mockReset()
  down.mockReset()
  watchScrolling(scroller, { up, down })
})

/** jsdom lays nothing out. */
const tall = (scrollHeight: number) => Object.defineProperty(scroller, 'scrollHeight', { value: scrollHeight, configurable: true })
const at = (name: string) => document.querySelector(name) as HTMLElement
const wheel = (from: HTMLElement, deltaY: number, more = {}) => from.dispatchEvent(new WheelEvent('wheel', { deltaY, bubbles: true, ...more }))
const key = (from: HTMLElement, key: string, more = {}) => from.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...more }))
// jsdom has no PointerEvent.
const pointer = (from: EventTarget, type: string, more = {}) => from.dispatchEvent(new MouseEvent(type, { bubbles: true, ...more }))

function scrollTo(top: number) {
  scroller.scrollTop = top
  scroller.dispatchEvent(new Event('scroll'))
}

it('a wheel that turns up is somebody who scrolls up, unless it zooms or a box in the view takes it', () => {
  wheel(at('p'), 100)
  wheel(at('p'), -100, { ctrlKey: true })
  at('pre').scrollTop = 20
  wheel(at('pre'), -100)
  expect(up).not.toHaveBeenCalled()
  at('pre').scrollTop = 0
  wheel(at('pre'), -100)
  expect(up).toHaveBeenCalledTimes(1)
  // One that is told after the browser went all the way up.
  scroller.scrollTop = 0
  wheel(at('p'), -2_000)
  expect(up).toHaveBeenCalledTimes(2)
  // Where all of it is in view there is no up.
  tall(0)
  wheel(at('p'), -100)
  expect(up).toHaveBeenCalledTimes(2)
})

it('panning sideways is no scrolling, however crooked', () => {
  wheel(at('pre'), -1, { deltaX: -40 })
  wheel(at('p'), -100, { shiftKey: true })
  wheel(at('p'), 1, { deltaX: 40 })
  expect([up.mock.calls.length, down.mock.calls.length]).toEqual([0, 0])
})

it('somebody who scrolls down is told of, also where the view has nothing left to move', () => {
  scroller.scrollTop = 2_000
  wheel(at('p'), 2)
  for (const name of ['PageDown', 'ArrowDown', 'End', ' ']) key(scroller, name)
  key(at('button'), ' ')
  const touch = (type: string, clientY: number) => at('p').dispatchEvent(Object.assign(new Event(type, { bubbles: true }), { touches: [{ clientY }] }))
  touch('touchstart', 300)
  touch('touchmove', 250)
  expect([up.mock.calls.length, down.mock.calls.length]).toEqual([0, 6])
})

it('so are the keys that scroll up, and no others', () => {
  for (const down of ['PageDown', 'ArrowDown', 'End', ' ']) key(scroller, down)
  key(scroller, 'ArrowUp', { altKey: true })
  key(at('button'), ' ', { shiftKey: true })
  expect(up).not.toHaveBeenCalled()
  for (const name of ['PageUp', 'ArrowUp', 'Home']) key(scroller, name)
  key(scroller, ' ', { shiftKey: true })
  expect(up).toHaveBeenCalledTimes(4)
})

it('whoever scrolls down within a box that has more below goes nowhere', () => {
  const box = at('pre')
  box.style.overflowY = 'auto'
  Object.defineProperties(box, { scrollHeight: { value: 300, configurable: true }, clientHeight: { value: 100, configurable: true } })
  const both = () => (wheel(box, 2), key(box, 'ArrowDown'))
  both()
  expect(down).not.toHaveBeenCalled()
  box.scrollTop = 200
  both()
  expect(down).toHaveBeenCalledTimes(2)
})

it('so is a finger that draws down', () => {
  const touch = (type: string, clientY: number) => at('p').dispatchEvent(Object.assign(new Event(type, { bubbles: true }), { touches: [{ clientY }] }))
  touch('touchstart', 300)
  touch('touchmove', 250)
  expect(up).not.toHaveBeenCalled()
  touch('touchmove', 280)
  expect(up).toHaveBeenCalledTimes(1)
})

it('a layout that moves the view is nobody, also right after a press on a card', () => {
  scrollTo(300)
  pointer(at('button'), 'pointerdown')
  scrollTo(200)
  expect(up).not.toHaveBeenCalled()
})

it('a scrollbar or a selection counts while it is held', () => {
  pointer(scroller, 'pointerdown')
  expect(up).not.toHaveBeenCalled()
  scrollTo(400)
  expect(up).toHaveBeenCalledTimes(1)
  pointer(window, 'pointerup')
  scrollTo(300)
  // Its end may go unreported.
  pointer(at('p'), 'pointerdown')
  pointer(at('p'), 'pointermove', { buttons: 0 })
  scrollTo(200)
  expect(up).toHaveBeenCalledTimes(1)
  pointer(at('p'), 'pointerdown', { button: 1 })
  pointer(at('p'), 'pointerup', { button: 1 })
  pointer(at('p'), 'pointermove', { buttons: 0 })
  scrollTo(100)
  expect(up).toHaveBeenCalledTimes(2)
})

it('the focus counts if it goes to what is not in view at the end', () => {
  const box = (bottom: number) => () => ({ top: 0, bottom }) as DOMRect
  Object.defineProperties(scroller, { scrollHeight: { value: 1_500 }, clientHeight: { value: 400 } })
  scroller.scrollTop = 1_100
  at('button').getBoundingClientRect = box(200)
  at('button').focus()
  expect(up).not.toHaveBeenCalled()
  at('button').blur()
  at('button').getBoundingClientRect = box(-40)
  at('button').focus()
  expect(up).toHaveBeenCalledTimes(1)
})
