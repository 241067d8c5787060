import { expect, it } from 'vitest'
import { tellUse } from './use'

function page() {
  const document = new EventTarget() as EventTarget & { visibilityState: string }
  document.visibilityState = 'visible'
  const window = new EventTarget() as EventTarget & { document: typeof document }
  window.document = document
  return {
    window: window as unknown as Window,
    does: (what: string) => window.dispatchEvent(new Event(what)),
    shows: (state: string) => {
      document.visibilityState = state
      document.dispatchEvent(new Event('visibilitychange'))
    },
  }
}

it('tells what a person does, now and then, and that they see it no more', () => {
  const { window, does, shows } = page()
  const told: boolean[] = []
  let now = 0
  const end = tellUse((inUse) => told.push(inUse), window, () => now)
  expect(told).toEqual([])
  does('keydown')
  does('wheel')
  expect(told).toEqual([true])
  now = 31_000
  does('pointerdown')
  expect(told).toEqual([true, true])
  shows('hidden')
  expect(told).toEqual([true, true, false])
  does('keydown')
  expect(told.length).toBe(3)
  shows('visible')
  does('keydown')
  does('blur')
  expect(told).toEqual([true, true, false, true, false])
  does('keydown')
  end()
  expect(told).toEqual([true, true, false, true, false, true, false])
  does('keydown')
  expect(told.length).toBe(7)
})

it('tells nothing of a page that nobody used', () => {
  const { window, does, shows } = page()
  const told: boolean[] = []
  const end = tellUse((inUse) => told.push(inUse), window)
  shows('hidden')
  shows('visible')
  does('blur')
  end()
  expect(told).toEqual([])
})
