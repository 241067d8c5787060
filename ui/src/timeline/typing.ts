import type { About } from '../wire/types'

/** Inserts a word at `at`, separated from what precedes and follows it, and says where the caret is then. */
export function withWord(text: string, at: number, word: string): { text: string; caret: number } {
  const [before, after] = [text.slice(0, at), text.slice(at)]
  const head = `${before}${before === '' || /\s$/.test(before) ? '' : ' '}${word}${/^\s/.test(after) ? '' : ' '}`
  return { text: head + after, caret: head.length }
}

/** The number of words on each side of a place, to find it by. */
const AROUND = 20

export interface Offending {
  character: string
  /** `U+202E`: it may be invisible. */
  name: string
  /** From 1. */
  line: number
  around: string
}

/** The character that a text was refused for, and where it stands. Null: it isn't about one, or that isn't there any more. */
export function offending(text: string, about: About | null): Offending | null {
  if (about?.kind !== 'character') return null
  const character = String.fromCodePoint(about.code_point)
  const at = new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, about.byte)).length
  if (!text.startsWith(character, at)) return null
  const [before, after] = [text.slice(0, at).split('\n'), text.slice(at).split('\n')]
  const around = `${before.at(-1)?.slice(-AROUND) ?? ''}${after[0]?.slice(0, AROUND) ?? ''}`.replaceAll(character, '').trim()
  const name = `U+${about.code_point.toString(16).toUpperCase().padStart(4, '0')}`
  return { character, name, line: before.length, around }
}
