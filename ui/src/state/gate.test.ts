import { expect, it } from 'vitest'
import { gated, isShut, pausedWords, shutWords } from './gate'

const totals = (live: number, paused: number) => ({ live, paused, live_bytes: 0, freed_bytes: 0, gate: true })

it('says that everything is paused only where nothing runs', () => {
  expect(gated(totals(0, 2))).toBe('Everything is paused')
  expect(gated(totals(3, 2))).toBe('2 paused, 3 still run; nothing that sleeps opens until Resume all.')
  expect(gated(totals(1, 0))).toBe('1 still runs; nothing that sleeps opens until Resume all.')
  expect(shutWords(totals(0, 0))).toBe('Everything is paused: nothing that sleeps opens until Resume all.')
  expect(shutWords(totals(1, 0))).toBe('Nothing that sleeps opens until Resume all.')
})

it('a repo that sleeps behind the closed gate can be resumed on its own', () => {
  const shut = (['asleep', 'paused', 'ready'] as const).map((state) => isShut({ state }, totals(0, 2)))
  expect(shut).toEqual([true, false, false])
  expect(isShut({ state: 'asleep' }, { ...totals(0, 2), gate: false })).toBe(false)
})

it('counts what was paused, and says nothing of nothing', () => {
  expect(pausedWords(2, 415_000_000)).toBe('2 repos paused. 415 MB freed.')
  expect(pausedWords(1, 0)).toBe('1 repo paused. 0 bytes freed.')
  expect(pausedWords(0, 0)).toBe(null)
})
