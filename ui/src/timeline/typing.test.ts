import { expect, it } from 'vitest'
import { offending, withWord } from './typing'

it('a picture’s path goes in where the caret is, apart from the words round it', () => {
  expect(withWord('', 0, '/p.png')).toEqual({ text: '/p.png ', caret: 7 })
  expect(withWord('see this', 3, '/p.png')).toEqual({ text: 'see /p.png this', caret: 10 })
  expect(withWord('ab', 1, '/p.png')).toEqual({ text: 'a /p.png b', caret: 9 })
  expect(withWord('see\n', 4, '/p.png')).toEqual({ text: 'see\n/p.png ', caret: 11 })
})

it('what a text was refused for is found in it', () => {
  const about = { kind: 'character', code_point: 0x202e, byte: 10 } as const
  const text = 'öne\nsay \u202eolleh to it\nmore'
  expect(offending(text, { ...about, byte: 9 })).toEqual({ character: '\u202e', name: 'U+202E', line: 2, around: 'say olleh to it' })
  expect(offending('\u200b and 👩\u200b', { ...about, code_point: 0x200b, byte: 12 })).toMatchObject({ around: 'and 👩', name: 'U+200B' })
  expect(offending('taken out', about)).toBeNull()
  expect(offending(text, { kind: 'repo', id: 'r', name: 'r' })).toBeNull()
  expect(offending(text, null)).toBeNull()
})
