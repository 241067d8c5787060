/** Whether a key is an input method's: it picks a word or puts one away, and orders nothing. */
export function composing(event: KeyboardEvent): boolean {
  // Safari tells the key that ends a composition after its end, with this number.
  return event.isComposing || event.keyCode === 229
}

/** Ctrl and the key left of 1: where a layout makes it a dead key or another sign, its place tells. */
export function switchesView(event: KeyboardEvent): boolean {
  return event.ctrlKey && !event.altKey && !event.metaKey && (event.key === '`' || event.code === 'Backquote')
}

/** Alt and an arrow up or down: the previous or next repo. Null: it is neither. */
export function stepsRepo(event: KeyboardEvent): 1 | -1 | null {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return null
  return event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : null
}

/** The palette's key. In a terminal, whose programs have Ctrl-K themselves, it takes Shift, or Cmd. */
export function opensPalette(event: KeyboardEvent, inTerminal: boolean): boolean {
  if (event.altKey || event.key.toLowerCase() !== 'k') return false
  if (event.metaKey) return !event.shiftKey
  return event.ctrlKey && event.shiftKey === inTerminal
}
