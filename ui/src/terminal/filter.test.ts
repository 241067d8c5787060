import { expect, it } from 'vitest'
import { openable, title } from './filter'

it('a title is one line of printable characters', () => {
  expect(title('a\u0007b\nc\u202edcba\u200b')).toBe('abcdcba')
  expect(title('x'.repeat(500))).toHaveLength(120)
})

it.each([
  ['https://example.com', true],
  ['http://127.0.0.1:5173', true],
  ['javascript:alert(1)', false],
  ['file:///etc/passwd', false],
  ['ssh://host', false],
  ['nonsense', false],
])('%s', (link, may) => expect(openable(link)).toBe(may))
