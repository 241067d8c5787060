import { expect, it } from 'vitest'
import type { Entry, Interrupted } from '../wire/types'
import { bounded, earlier, later, newest } from './pages'

const continuity = { kind: 'resumed', code: 'resumed', sentence: 'Picked up.', at: '2026-01-01T10:00:00.000Z', interrupted: [] as Interrupted[] } as const
const entry = (id: string): Entry =>
  id.startsWith('open') ? { id, at: continuity.at, kind: 'continuity', continuity } : { id, at: null, kind: 'interrupted' }
const page = (ids: string[], before: number | null = null) => ({ entries: ids.map(entry), before, after: null, skipped: 0 })
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

it('an open that came last gets its place once something is said after it', () => {
  const loaded = newest(page(['1.0']), page(['1.0', 'open.1']))
  expect(ids(loaded)).toEqual(['1.0', 'open.1'])
  const later = newest(loaded ?? page([]), page(['1.0', 'open.1', '9.0']))
  expect(ids(later)).toEqual(['1.0', 'open.1', '9.0'])
  expect(later?.entries[1]).toBe(loaded?.entries[1])
  expect(newest(later ?? page([]), page(['1.0', 'open.1', '9.0']))).toBe(later)
})

it('an open that was alone stays when something is said', () => {
  expect(ids(newest(page(['open.1']), page(['open.1', '1.0'])))).toEqual(['open.1', '1.0'])
})

it('an open before the newest page is kept, and one that is on it is there once', () => {
  const loaded = page(['1.0', 'open.1', '5.0', 'open.2', '9.0'])
  expect(ids(newest(loaded, page(['5.0', 'open.2', '9.0', '12.0'], 5)))).toEqual(['1.0', 'open.1', '5.0', 'open.2', '9.0', '12.0'])
  expect(ids(newest(loaded, page(['open.2', '9.0', '12.0'], 9)))).toEqual(['1.0', 'open.1', '5.0', 'open.2', '9.0', '12.0'])
})

it('what is too much goes at the end that is not looked at, in whole lines, and can be asked for again', () => {
  const loaded = page(['1.0', '2.0', '2.1', 'open.1', '3.0', '4.0'], 1)
  expect(bounded(loaded, 6, 'late')).toBe(loaded)
  expect(bounded(loaded, 5, 'late')).toMatchObject({ after: 4, before: 1 })
  const late = bounded(loaded, 2, 'late')
  expect([ids(late), late.after]).toEqual([['1.0'], 2])
  const early = bounded(loaded, 4, 'early')
  expect([ids(early), early.before, early.after]).toEqual([['3.0', '4.0'], 3, null])
})

it('a later run goes behind, without what is there already, and says whether it is the end', () => {
  const loaded = { ...page(['1.0', '2.0']), after: 3 }
  const more = later(loaded, { ...page(['2.0', '3.0']), after: 9 })
  expect([ids(more), more.after]).toEqual([['1.0', '2.0', '3.0'], 9])
  expect(later(more, page(['9.0'])).after).toBeNull()
})
