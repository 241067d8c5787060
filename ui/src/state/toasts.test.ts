import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { toasts } from './toasts.svelte'

beforeEach(() => void vi.useFakeTimers())
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
