import type { IUnicodeVersionProvider } from '@xterm/xterm'
import { WIDE, ZERO } from './widths'

/**
 * How many cells a character takes in the holder's terminal, each on its own, whatever surrounds it. If the two
 * differed, a line that is overwritten would look different here and in a page that attaches later.
 */
export const cells: IUnicodeVersionProvider = { version: 'holder', wcwidth, charProperties }

function wcwidth(character: number): 0 | 1 | 2 {
  if (character < 0x7f) return 1
  return within(ZERO, character) ? 0 : within(WIDE, character) ? 2 : 1
}

/** `before`: the result for the previous character; 0 at the beginning of a line. */
function charProperties(character: number, before: number): number {
  const width = wcwidth(character)
  const cell = cellsOf(before)
  return width === 0 && cell > 0 ? JOINS | (cell << 1) : width << 1
}

// xterm.js keeps them in one number: bit 0, it belongs to the previous cell; bits 1 and 2, how many cells it then
// takes.
const JOINS = 1
const cellsOf = (properties: number) => (properties >> 1) & 3

/** Whether it is in one of the ranges, each given as first and last. */
function within(runs: readonly number[], character: number): boolean {
  let [from, to] = [0, runs.length / 2]
  while (from < to) {
    const middle = (from + to) >> 1
    if (character > (runs[middle * 2 + 1] ?? 0)) from = middle + 1
    else to = middle
  }
  return character >= (runs[from * 2] ?? Infinity)
}
