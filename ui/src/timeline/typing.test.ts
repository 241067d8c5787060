// @vitest-environment jsdom
import { expect, it, vi } from 'vitest'
import { fit, offending, withWord } from './typing'

it('a picture’s path goes in where the caret is, apart from the words round it', () => {
  expect(withWord('', 0, '/p.png')).toEqual({ text: '/p.png ', caret: 7 })
  expect(withWord('see this', 3, '/p.png')).toEqual({ text: 'see /p.png this', caret: 10 })
  expect(withWord('ab', 1, '/p.png')).toEqual({ text: 'a /p.png b', caret: 9 })
  expect(withWord('see\n', 4, '/p.png')).toEqual({ text: 'see\n/p.png ', caret: 11 })
})

it('what a text was refused for is found in it', () => {
  const refusal = 'the text holds U+202E at byte 9, an invisible mark'
  const text = 'one\nsay \u202eolleh to it\nmore'
  expect(offending(text, refusal)).toEqual({ character: '\u202e', line: 2, around: 'say olleh to it' })
  expect(offending('taken out', refusal)).toBeNull()
  expect(offending(text, 'the text is empty')).toBeNull()
})

it('a field grows with its text where the browser doesn’t see to that', () => {
  const field = document.createElement('textarea')
  Object.defineProperty(field, 'scrollHeight', { value: 120 })
  fit(field)
  expect(field.style.height).toBe('120px')
  field.style.height = ''
  vi.stubGlobal('CSS', { supports: () => true })
  fit(field)
  expect(field.style.height).toBe('')
  vi.unstubAllGlobals()
})
