import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { toasts } from './toasts.svelte'

beforeEach(() => {
  vi.useFakeTimers()
  for (const { id } of toasts.list) toasts.drop(id)
})
afterEach(() => void vi.useRealTimers())

it('a toast goes by itself, but not while somebody is at it', () => {
  toasts.say('One.')
  const [one] = toasts.list
  vi.advanceTimersByTime(5_000)
  toasts.keep(one?.id ?? 0)
  vi.advanceTimersByTime(60_000)
  expect(toasts.list).toHaveLength(1)
  toasts.letGo(one?.id ?? 0)
  vi.advanceTimersByTime(7_000)
  expect(toasts.list).toEqual([])
})

it('the oldest of too many goes, and what is said again stands once', () => {
  for (const text of ['a', 'b', 'c', 'b', 'd']) toasts.say(text)
  expect(toasts.list.map(({ text }) => text)).toEqual(['c', 'b', 'd'])
})

it('of each repo only the newest stands', () => {
  for (const [text, repo] of [['Began.', 'a'], ['Began.', 'b'], ['Answered.', 'a'], ['Added.', null]] as const) toasts.say(`${repo}: ${text}`, repo)
  expect(toasts.list.map(({ text }) => text)).toEqual(['b: Began.', 'a: Answered.', 'null: Added.'])
})

it('the same in several repos at once is told in one', () => {
  const several = (count: number) => `${count} paused.`
  for (const repo of ['a', 'b', 'c']) toasts.say(`${repo} paused.`, repo, several)
  toasts.say('Another.', 'd')
  expect(toasts.list.map(({ text, repo }) => [text, repo])).toEqual([['3 paused.', null], ['Another.', 'd']])
  vi.advanceTimersByTime(3_000)
  toasts.say('e paused.', 'e', several)
  expect(toasts.list.map(({ text }) => text)).toEqual(['3 paused.', 'Another.', 'e paused.'])
})
