/** Whether a key belongs to an input method: it chooses or dismisses a word, and isn't a command. */
export function composing(event: KeyboardEvent): boolean {
  // Safari reports the key that ends a composition after its end, with this number.
  return event.isComposing || event.keyCode === 229
}

/**
 * Ctrl and the key left of 1, identified by its position, since some layouts have a dead key or another character
 * there.
 */
export function switchesView(event: KeyboardEvent): boolean {
  return event.ctrlKey && !event.altKey && !event.metaKey && (event.key === '`' || event.code === 'Backquote')
}

/** Alt and an arrow up or down: the previous or next repo. Null: neither. */
export function stepsRepo(event: KeyboardEvent): 1 | -1 | null {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return null
  return event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : null
}

/** The palette's key. In a terminal, whose programs use Ctrl-K themselves, it needs Shift, or Cmd. */
export function opensPalette(event: KeyboardEvent, inTerminal: boolean): boolean {
  if (event.altKey || event.key.toLowerCase() !== 'k') return false
  if (event.metaKey) return !event.shiftKey
  return event.ctrlKey && event.shiftKey === inTerminal
}
