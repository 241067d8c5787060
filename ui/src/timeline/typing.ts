/** Inserts a word at `at`, separated from what precedes and follows it, and says where the caret is then. */
export function withWord(text: string, at: number, word: string): { text: string; caret: number } {
  const [before, after] = [text.slice(0, at), text.slice(at)]
  const head = `${before}${before === '' || /\s$/.test(before) ? '' : ' '}${word}${/^\s/.test(after) ? '' : ' '}`
  return { text: head + after, caret: head.length }
}

/** Whether the browser lets a field grow with its text. WebKitGTK and older Firefoxes don't. */
const grows = () => typeof CSS !== 'undefined' && CSS.supports('field-sizing', 'content')

/** Makes a field as high as its text, if the browser doesn't; its style limits the height. */
export function fit(field: HTMLTextAreaElement): void {
  if (grows()) return
  field.style.height = 'auto'
  field.style.height = `${field.scrollHeight}px`
}

/** The number of words on each side of a place, to find it by. */
const AROUND = 20

export interface Offending {
  character: string
  /** From 1. */
  line: number
  around: string
}

/**
 * The character for which a text was refused, as named in the refusal (`U+202E`), and its position. Null: none is
 * named.
 */
export function offending(text: string, refusal: string): Offending | null {
  const code = /\bU\+([0-9A-F]{4,6})\b/.exec(refusal)?.[1]
  const character = code === undefined ? '' : String.fromCodePoint(parseInt(code, 16))
  const at = character === '' ? -1 : text.indexOf(character)
  if (at < 0) return null
  const line = text.slice(0, at).split('\n').length
  const [before, after] = [text.slice(0, at).split('\n').at(-1) ?? '', text.slice(at).split('\n')[0] ?? '']
  const around = `${before.slice(-AROUND)}${after.slice(0, AROUND)}`.replaceAll(character, '').trim()
  return { character, line, around }
}
