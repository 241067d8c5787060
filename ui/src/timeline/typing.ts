/** A text with a word put in at `at`, apart from what stands before and after it, and where the caret is then. */
export function withWord(text: string, at: number, word: string): { text: string; caret: number } {
  const [before, after] = [text.slice(0, at), text.slice(at)]
  const head = `${before}${before === '' || /\s$/.test(before) ? '' : ' '}${word}${/^\s/.test(after) ? '' : ' '}`
  return { text: head + after, caret: head.length }
}

/** Whether the browser lets a field grow with its text. WebKitGTK and older Firefoxes don't. */
const grows = () => typeof CSS !== 'undefined' && CSS.supports('field-sizing', 'content')

/** Makes a field as high as its text, where the browser doesn't; its style says how high at most. */
export function fit(field: HTMLTextAreaElement): void {
  if (grows()) return
  field.style.height = 'auto'
  field.style.height = `${field.scrollHeight}px`
}
