import type { IUnicodeVersionProvider } from '@xterm/xterm'
import { WIDE, ZERO } from './widths'

/**
 * How many cells a character takes, as the holder's terminal has it: each by itself, whatever stands around it. Were
 * they not one, a line that is drawn over would stand elsewhere here than in what a page gets that comes later.
 */
export const cells: IUnicodeVersionProvider = { version: 'holder', wcwidth, charProperties }

function wcwidth(character: number): 0 | 1 | 2 {
  if (character < 0x7f) return 1
  return within(ZERO, character) ? 0 : within(WIDE, character) ? 2 : 1
}

/** `before`: what this gave for the character before; 0 at a line's beginning. */
function charProperties(character: number, before: number): number {
  const width = wcwidth(character)
  const cell = cellsOf(before)
  return width === 0 && cell > 0 ? JOINS | (cell << 1) : width << 1
}

// xterm.js keeps them in one number: bit 0, it belongs to the cell before; bits 1 and 2, how many cells it
// takes then.
const JOINS = 1
const cellsOf = (properties: number) => (properties >> 1) & 3

/** Whether it is in one of the runs, each of which has its first and its last. */
function within(runs: readonly number[], character: number): boolean {
  let [from, to] = [0, runs.length / 2]
  while (from < to) {
    const middle = (from + to) >> 1
    if (character > (runs[middle * 2 + 1] ?? 0)) from = middle + 1
    else to = middle
  }
  return character >= (runs[from * 2] ?? Infinity)
}
