// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { composing, opensPalette, stepsRepo, switchesView } from './keys'

const key = (init: KeyboardEventInit & { keyCode?: number }) => new KeyboardEvent('keydown', init)

it('what an input method takes is no key of the page', () => {
  expect(composing(key({ key: 'Escape', isComposing: true }))).toBe(true)
  expect(composing(key({ key: 'Enter', keyCode: 229 }))).toBe(true)
  expect(composing(key({ key: 'Escape' }))).toBe(false)
})

it('a key is known by its place where the layout has another sign there', () => {
  expect(switchesView(key({ key: '`', ctrlKey: true }))).toBe(true)
  expect(switchesView(key({ key: 'Dead', code: 'Backquote', ctrlKey: true }))).toBe(true)
  expect(switchesView(key({ key: '^', code: 'Backquote', ctrlKey: true }))).toBe(true)
  expect(switchesView(key({ key: 'Dead', code: 'Backquote' }))).toBe(false)
})

it('Alt with an arrow, and nothing else, steps from repo to repo', () => {
  expect(stepsRepo(key({ key: 'ArrowUp', altKey: true }))).toBe(-1)
  expect(stepsRepo(key({ key: 'ArrowDown', altKey: true }))).toBe(1)
  expect(stepsRepo(key({ key: 'ArrowDown', altKey: true, shiftKey: true }))).toBeNull()
  expect(stepsRepo(key({ key: 'ArrowDown' }))).toBeNull()
})

it('Ctrl-K opens the palette, and in a terminal is the program’s', () => {
  const opens = (init: KeyboardEventInit) => [false, true].map((inTerminal) => opensPalette(key(init), inTerminal))
  expect(opens({ key: 'k', ctrlKey: true })).toEqual([true, false])
  expect(opens({ key: 'K', ctrlKey: true, shiftKey: true })).toEqual([false, true])
  expect(opens({ key: 'k', metaKey: true })).toEqual([true, true])
  expect(opens({ key: 'k' })).toEqual([false, false])
})
