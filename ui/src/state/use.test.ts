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

/** What was said by now has been taken. */
const settled = () => new Promise((done) => setTimeout(done))

it('tells what a person does, now and then, and that they see it no more', async () => {
  const { window, does, shows } = page()
  const told: boolean[] = []
  let now = 0
  const { end } = tellUse(async (inUse) => told.push(inUse), window, () => now)
  await settled()
  expect(told).toEqual([])
  does('keydown')
  does('wheel')
  await settled()
  expect(told).toEqual([true])
  now = 31_000
  does('pointerdown')
  await settled()
  expect(told).toEqual([true, true])
  shows('hidden')
  await settled()
  expect(told).toEqual([true, true, false])
  does('keydown')
  await settled()
  expect(told.length).toBe(3)
  shows('visible')
  does('keydown')
  does('blur')
  await settled()
  expect(told).toEqual([true, true, false, true, false])
  does('keydown')
  end()
  await settled()
  expect(told).toEqual([true, true, false, true, false, true, false])
  does('keydown')
  await settled()
  expect(told.length).toBe(7)
})

it('tells nothing of a page that nobody used', async () => {
  const { window, does, shows } = page()
  const told: boolean[] = []
  const { again, end } = tellUse(async (inUse) => told.push(inUse), window)
  again()
  shows('hidden')
  shows('visible')
  does('blur')
  end()
  await settled()
  expect(told).toEqual([])
})

it('says again what a connection that broke may have taken along, and one word after the other', async () => {
  const { window, does } = page()
  const told: boolean[] = []
  const gates: (() => void)[] = []
  let now = 0
  const { again, end } = tellUse((inUse) => (told.push(inUse), new Promise<void>((done) => gates.push(done))), window, () => now)
  does('keydown')
  now = 10_000
  again()
  does('blur')
  await settled()
  expect(told, 'the first word is on its way').toEqual([true])
  gates.shift()?.()
  await settled()
  expect(told).toEqual([true, true])
  gates.shift()?.()
  await settled()
  gates.shift()?.()
  does('keydown')
  await settled()
  gates.shift()?.()
  now = 50_000
  again()
  await settled()
  expect(told, 'who did nothing for long uses it no more').toEqual([true, true, false, true])
  does('keydown')
  await settled()
  expect(told.at(-1)).toBe(true)
  end()
})
