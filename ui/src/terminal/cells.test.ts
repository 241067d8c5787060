import { expect, it } from 'vitest'
import { cells } from './cells'

it.each([
  ['a', 1],
  ['é', 1],
  ['\u0301', 0],
  ['日', 2],
  ['😀', 2],
  ['✅', 2],
  // Younger than Unicode 11.
  ['🫡', 2],
  // A flag is two, each in a cell; a heart is made no wider by what follows it, a family no narrower.
  ['🇩', 1],
  ['❤', 1],
  ['\ufe0f', 0],
  ['\u200d', 0],
  ['─', 1],
] as const)('%s takes %i', (character, width) => expect(cells.wcwidth(character.codePointAt(0) ?? 0)).toBe(width))

it('what takes no cell joins the one before, and none where there is none', () => {
  const heart = cells.charProperties(0x2764, 0)
  const red = cells.charProperties(0xfe0f, heart)
  expect([heart, red]).toEqual([1 << 1, (1 << 1) | 1])
  const wide = cells.charProperties(0x1f600, 0)
  expect(cells.charProperties(0x200d, wide)).toBe((2 << 1) | 1)
  expect(cells.charProperties(0x200d, 0)).toBe(0)
})
