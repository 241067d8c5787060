import { expect, it } from 'vitest'
import { budgetRead, budgetWritten, clocks, duration, milliseconds, most, written } from './check'

it.each([
  ['6h', 21_600_000],
  [' 90 m ', 5_400_000],
  ['4d', 345_600_000],
  ['4', null],
  ['h', null],
  ['-1h', null],
  ['1.5h', null],
  ['1h30m', 5_400_000],
  ['1 h 30 min', 5_400_000],
  ['2 weeks', 1_209_600_000],
  ['100ms', 100],
  ['1M', null],
  ['', null],
  ['1h x', null],
])('%s', (text, ms) => expect(milliseconds(text)).toBe(ms))

it('writes durations as people do', () => {
  expect([21_600_000, 345_600_000, 600_000, 5_400_000, 1_000].map(written)).toEqual(['6h', '4d', '10m', '90m', '1s'])
  for (const ms of [1_500, 90_061_001, 100]) expect(milliseconds(written(ms))).toBe(ms)
})

it('the idle clock has to be the shorter one', () => {
  expect(clocks(milliseconds('6h'), milliseconds('4d'))).toBeNull()
  expect(clocks(milliseconds('5d'), milliseconds('4d'))).not.toBeNull()
  expect(duration('0h')).toContain('too short')
  expect(duration('100ms')).toContain('at least 1 s')
  expect(duration('999999999999d')).toContain('too long')
  expect(duration('1h30m')).toBeNull()
})

it('reads budgets and writes them back', () => {
  for (const text of ['off', '4.0 GB', '512 MB', '50%']) {
    const read = budgetRead(text)
    expect(read && budgetWritten(read)).toBe(text)
  }
  expect(budgetRead('120%')).toBeNull()
  expect(budgetRead('much')).toBeNull()
  expect(most('0')).not.toBeNull()
  expect(most('8')).toBeNull()
})
