// @vitest-environment jsdom
import { beforeEach, expect, it } from 'vitest'
import { draft, follow, keep, restored, taken } from './drafts'
import { keepOnly } from './stored'

beforeEach(() => localStorage.clear())

/** Stores a draft as another tab does. */
function elsewhere(repo: string, text: string | null) {
  const key = `repose.draft.${repo}`
  const oldValue = localStorage.getItem(key)
  if (text === null) localStorage.removeItem(key)
  else localStorage.setItem(key, text)
  dispatchEvent(new StorageEvent('storage', { key, newValue: text, oldValue }))
}

it('what another tab types shows here, unless something else is typed here; what it sends is gone here too', () => {
  let [text, typing] = ['', false]
  const end = follow('a', { text: () => text, typing: () => typing, composes: () => false, show: (shown) => (text = shown), back: () => undefined })
  elsewhere('b', 'of another repo')
  expect(text).toBe('')
  elsewhere('a', 'from there')
  expect([text, draft('a')]).toEqual(['from there', 'from there'])
  typing = true
  elsewhere('a', 'from there, more')
  expect(text).toBe('from there, more')
  elsewhere('a', null)
  expect([text, draft('a')]).toEqual(['', ''])
  text = 'mine'
  elsewhere('a', 'theirs')
  elsewhere('a', null)
  expect(text).toBe('mine')
  end()
})

it('what another tab typed while somebody types here is lost in neither', () => {
  expect(keep('a', 'mine')).toBe('mine')
  let text = 'mine'
  const end = follow('a', { text: () => text, typing: () => true, composes: () => true, show: (shown) => (text = shown), back: () => undefined })
  elsewhere('a', 'theirs')
  expect(text).toBe('mine')
  expect(keep('a', 'mine, more')).toBe('theirs\nmine, more')
  expect(keep('a', 'theirs\nmine, more!')).toBe('theirs\nmine, more!')
  // A tab that was asleep received no news; sending from here takes nothing of theirs.
  localStorage.setItem('repose.draft.a', 'ONE')
  expect(keep('a', '')).toBe('ONE')
  expect(draft('a')).toBe('ONE')
  expect(keep('a', 'ONE and TWO')).toBe('ONE and TWO')
  end()
})

it('what a composer sent that is gone by now is gone from the next one too, unless it was changed there', () => {
  for (const [now, left] of [['sent', ''], ['sent, and more', 'sent, and more']] as const) {
    keep('a', now)
    let text: string = now
    const end = follow('a', { text: () => text, typing: () => true, composes: () => false, show: (shown) => (text = shown), back: () => undefined })
    taken('a', 'sent')
    expect([text, draft('a')]).toEqual([left, left])
    end()
  }
})

it('what wasn’t taken goes to the composer that is there, or else before the draft, once', () => {
  keep('a', 'next')
  const back: string[] = []
  const end = follow('a', { text: () => 'next', typing: () => true, composes: () => true, show: () => undefined, back: (text) => back.push(text) })
  restored('a', 'asked')
  expect([back, draft('a')]).toEqual([['asked'], 'next'])
  end()
  restored('a', 'asked')
  restored('a', 'asked')
  expect(draft('a')).toBe('asked\nnext')
})

it('a draft of a repo that is gone goes, the others stay', () => {
  keep('a', 'stays')
  keep('b', 'goes')
  localStorage.setItem('repose.theme', 'dark')
  keepOnly(new Set(['a']))
  expect(draft('a')).toBe('stays')
  expect(localStorage.getItem('repose.draft.b')).toBeNull()
  expect(localStorage.getItem('repose.theme')).toBe('dark')
})
