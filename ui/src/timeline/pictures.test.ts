import { expect, it } from 'vitest'
import { fold, pieces, shown, unfold, without } from './pictures'

const repo = '019ab3f0-0000-7000-8000-0123456789ab'
const at = (digit: string, end = 'png') => `/home/me/.local/state/repose/images/${repo}/${digit.repeat(32)}.${end}`
const href = (digit: string) => `/api/repos/${repo}/images/${digit.repeat(32)}.png`

it('a text’s pictures are told from its words', () => {
  expect(pieces(`see ${at('a')} and say`)).toEqual(['see ', { path: at('a'), href: href('a') }, ' and say'])
  for (const none of ['', 'a/b and /c.png', at('a', 'txt'), `${at('a')}.bak`, at('a').replace(repo, '..')]) {
    expect(pieces(none)).toEqual(none === '' ? [] : [none])
  }
})

it('it is edited with a token for each, and is the same again when it is sent', () => {
  const prompt = `${at('a')} or ${at('b')}? not ${at('a')}`
  const folded = fold(prompt)
  expect(folded.text).toBe('[image 1] or [image 2]? not [image 1]')
  expect(unfold(folded)).toBe(prompt)
  const text = without(folded.text, 0)
  expect([text, shown({ ...folded, text })]).toEqual(['or [image 2]? not ', [1]])
  expect(unfold({ ...folded, text })).toBe(`or ${at('b')}? not `)
  expect(unfold({ text: 'what is [image 7]?', pictures: [] })).toBe('what is [image 7]?')
})
