import { expect, it } from 'vitest'
import { fold, pictureAt, pieces, shown, token, unfold, without } from './pictures'

const repo = '019ab3f0-0000-7000-8000-0123456789ab'
const at = (digit: string, end = 'png', state = '/home/me/.local/state') => `${state}/repose/images/${repo}/${digit.repeat(32)}.${end}`
const href = (digit: string) => `/api/repos/${repo}/images/${digit.repeat(32)}.png`
const spaced = at('a', 'png', '/Users/me/Library/Application Support')
/** A picture’s token. */
const t = (number: number) => token(number - 1)

it('a text’s pictures are told from its words', () => {
  expect(pieces(`see ${at('a')} and say`)).toEqual(['see ', { path: at('a'), href: href('a') }, ' and say'])
  expect(pieces(`in ${at('a')}.`)).toEqual(['in ', { path: at('a'), href: href('a') }, '.'])
  const others = [at('a', 'txt'), `${at('a')}.bak`, `${at('a')}s`, `${at('a')}/b`, at('a').replace(repo, '..'), `see${at('a')}`, at('a').slice(1)]
  for (const none of ['a/b and /c.png', `of /tmp\nme${at('a')}`, ...others]) expect(pieces(none)).toEqual([none])
  expect(pieces('')).toEqual([])
})

it('a picture’s path is the one that the server gave, also where a folder has a space in its name', () => {
  expect(pictureAt(spaced)).toEqual({ path: spaced, href: href('a') })
  for (const none of ['/c.png', `${spaced} `, at('a', 'txt')]) expect(pictureAt(none)).toBeNull()
  const prompt = `copy /etc/motd, see ${spaced} and ${spaced.replaceAll('aa', 'bb')}`
  const folded = fold(prompt)
  expect(folded.text).toBe(`copy /etc/motd, see ${t(1)} and ${t(2)}`)
  expect(unfold(folded)).toBe(prompt)
})

it('a path in quotes or brackets begins there, and takes no words before it in', () => {
  for (const [before, after] of [['compare /src/a.css with "', '"'], ['run /review on (', ')'], ["as '", "'"], ['[', ']'], ['`', '`']] as const) {
    expect(pieces(`${before}${at('a')}${after}`)).toEqual([before, { path: at('a'), href: href('a') }, after])
  }
  const part = `compare /src/a.css with "me${at('a')}"`
  expect(pieces(part)).toEqual([part])
})

it('it is edited with a token for each, and is the same again when it is sent', () => {
  const prompt = `${at('a')} or ${at('b')}? not ${at('a')}`
  const folded = fold(prompt)
  expect(folded.text).toBe(`${t(1)} or ${t(2)}? not ${t(1)}`)
  expect(unfold(folded)).toBe(prompt)
  const text = without(folded.text, 0)
  expect([text, shown({ ...folded, text })]).toEqual([`or ${t(2)}? not `, [1]])
  expect(unfold({ ...folded, text })).toBe(`or ${at('b')}? not `)
  expect(unfold({ text: `what is ${t(7)}?`, pictures: [] })).toBe(`what is ${t(7)}?`)
})

it('a path stands apart from what is typed right beside its token, so that it is found again', () => {
  const { pictures } = fold(`${at('a')} ${at('b')}`)
  const sent = (text: string) => unfold({ text, pictures })
  const [a, b] = [at('a'), at('b')]
  expect(sent(`${t(1)}${t(2)}`)).toBe(`${a} ${b}`)
  expect(sent(`see${t(1)}now`)).toBe(`see ${a} now`)
  expect(sent(`(${t(1)}), in "${t(2)}".`)).toBe(`(${a}), in "${b}".`)
  expect(sent(`${t(1)}.bak ${t(2)}/c`)).toBe(`${a} .bak ${b} /c`)
  for (const text of [`${t(1)}${t(2)}`, `see${t(1)}now${t(2)}`, `(${t(1)}), in ${t(2)}.`, `${t(1)}.bak${t(2)}`]) {
    expect(fold(sent(text)).pictures).toEqual(pictures)
  }
})

it('what somebody types is words, also where it looks like a token', () => {
  const typed = `in [image 1] of ${at('a')}`
  const folded = fold(typed)
  expect([folded.text, unfold(folded)]).toEqual([`in [image 1] of ${t(1)}`, typed])
  expect(unfold(fold(`a copied ${t(1)} and ${at('a')}`))).toBe(`a copied [image 1] and ${at('a')}`)
})

it('a long text of slashes is looked through in one go', () => {
  // From each slash to the end of the text would take minutes.
  const text = '/a'.repeat(200_000)
  expect(pieces(text)).toEqual([text])
})
