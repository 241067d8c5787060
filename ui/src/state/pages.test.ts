import { expect, it } from 'vitest'
import type { Entry } from '../wire/types'
import { earlier, newest } from './pages'

const entry = (id: string): Entry => ({ id, at: null, kind: 'interrupted' })
const page = (ids: string[], before: number | null = null) => ({ entries: ids.map(entry), before, skipped: 0 })
const ids = (loaded: { entries: readonly Entry[] } | null) => loaded?.entries.map(({ id }) => id)

it('an earlier page goes in front, without what is there already', () => {
  const loaded = earlier(page(['200.0', '300.0'], 200), page(['100.0', '100.1', '200.0'], 100))
  expect(ids(loaded)).toEqual(['100.0', '100.1', '200.0', '300.0'])
  expect(loaded.before).toBe(100)
})

it('the newest page goes behind, in the order of numbers and not of letters', () => {
  const loaded = newest(page(['90.0', '90.1'], 90), page(['90.1', '1000.0'], 80))
  expect(ids(loaded)).toEqual(['90.0', '90.1', '1000.0'])
  expect(loaded?.before).toBe(90)
})

it('nothing new is the same object, so that nothing is drawn anew', () => {
  const loaded = page(['1.0', '2.0'])
  expect(newest(loaded, page(['1.0', '2.0']))).toBe(loaded)
})

it('a newest page that does not reach back is said to be no continuation', () => {
  expect(newest(page(['1.0']), page(['50.0'], 50))).toBeNull()
})

it('a page from the beginning replaces what another conversation left', () => {
  expect(ids(newest(page([]), page(['1.0'])))).toEqual(['1.0'])
})
