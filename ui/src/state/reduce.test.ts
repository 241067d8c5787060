import { describe, expect, it } from 'vitest'
import type { Delta, Repo } from '../wire/types'
import { repo } from '../../tests/repo'
import { EMPTY, reduce, shown, type Model } from './reduce'

const totals = { live: 0, paused: 0, live_bytes: 0, freed_bytes: 0, gate: false }

const snapshot = (repos: Repo[], seq = 0) => ({ type: 'snapshot', snapshot: { seq, repos, totals } }) as const
const told = (delta: Delta) => ({ type: 'delta', delta }) as const
const live = (...repos: Repo[]): Model => reduce(EMPTY, snapshot(repos), 0)
const names = (model: Model) => model.repos.map((one) => one.name)

describe('a snapshot', () => {
  it('replaces everything, in the order of names', () => {
    const model = reduce(live(repo('old')), snapshot([repo('b10'), repo('b9'), repo('a')], 7), 0)
    expect(names(model)).toEqual(['a', 'b9', 'b10'])
    expect(model).toMatchObject({ link: 'live', seq: 7, stale: false })
  })

  it('keeps since when a state is seen, and forgets repos that are gone', () => {
    const before = reduce(EMPTY, snapshot([repo('a', { state: 'opening' }), repo('b')]), 100)
    const after = reduce(before, snapshot([repo('a', { state: 'opening' })]), 900)
    expect([...after.since]).toEqual([['a', { state: 'opening', at: 100 }]])
  })

  it('takes the time of a state from the server where it is told', () => {
    const since = '2026-01-01T00:00:00.000Z'
    expect(live(repo('a', { since })).since.get('a')?.at).toBe(Date.parse(since))
  })
})

describe('a delta', () => {
  it('changes one repo and leaves the others the same objects', () => {
    const before = live(repo('a'), repo('b'))
    const after = reduce(before, told({ kind: 'repo', seq: 1, repo: repo('b', { state: 'working' }) }), 5)
    expect(after.repos[0]).toBe(before.repos[0])
    expect(after.repos[1]?.state).toBe('working')
    expect(after.since.get('b')).toEqual({ state: 'working', at: 5 })
  })

  it('puts a new repo and a new name in their places', () => {
    const more = reduce(live(repo('b')), told({ kind: 'repo', seq: 1, repo: repo('a') }), 0)
    expect(names(more)).toEqual(['a', 'b'])
    const renamed = reduce(more, told({ kind: 'repo', seq: 2, repo: repo('a', { name: 'z' }) }), 0)
    expect(names(renamed)).toEqual(['b', 'z'])
  })

  it('removes', () => {
    expect(names(reduce(live(repo('a'), repo('b')), told({ kind: 'removed', seq: 1, id: 'a' }), 0))).toEqual(['b'])
  })

  it('that was told before is passed over', () => {
    const model = reduce(EMPTY, snapshot([repo('a')], 5), 0)
    expect(reduce(model, told({ kind: 'removed', seq: 5, id: 'a' }), 0)).toBe(model)
  })

  it('after a gap changes nothing and calls for a snapshot', () => {
    const model = reduce(live(repo('a')), told({ kind: 'removed', seq: 3, id: 'a' }), 0)
    expect(model.stale).toBe(true)
    expect(names(model)).toEqual(['a'])
    expect(reduce(model, snapshot([], 9), 0)).toMatchObject({ stale: false, seq: 9 })
  })

  it('of a kind that this page does not know counts all the same', () => {
    const strange = { kind: 'later', seq: 1 } as unknown as Delta
    expect(reduce(live(repo('a')), told(strange), 0)).toMatchObject({ seq: 1, stale: false })
  })
})

describe('the connection', () => {
  it('that goes keeps everything shown', () => {
    const model = reduce(live(repo('a')), { type: 'gone', refused: null }, 0)
    expect(model.link).toBe('gone')
    expect(names(model)).toEqual(['a'])
  })

  it('that is refused says why until there is one', () => {
    const trouble = { code: 'too_many', title: 'Too many', message: 'Close one.', hints: [], severity: 'notice' as const, about: null }
    const refused = reduce(EMPTY, { type: 'gone', refused: trouble }, 0)
    expect(refused).toMatchObject({ link: 'connecting', refused: trouble })
    expect(reduce(refused, snapshot([]), 0).refused).toBeNull()
  })

  it('that was never there is still connecting', () => {
    expect(reduce(EMPTY, { type: 'gone', refused: null }, 0).link).toBe('connecting')
  })

  it('without a login is locked until a snapshot comes', () => {
    const locked = reduce(live(repo('a')), { type: 'locked' }, 0)
    expect(reduce(locked, { type: 'gone', refused: null }, 0).link).toBe('locked')
    expect(reduce(locked, snapshot([]), 0).link).toBe('live')
  })
})

it('what an answer showed is only for a repo that the stream has not told of: an answer may be the older one', () => {
  const model = shown(live(repo('a')), repo('a', { state: 'paused' }), 3)
  expect(model.repos[0]?.state).toBe(repo('a').state)
  const added = shown(live(repo('b')), repo('a', { state: 'paused' }), 3)
  expect(names(added)).toEqual(['a', 'b'])
  expect(added.seq).toBe(0)
})

it('a late answer brings no repo back that was removed; being added again does', () => {
  const gone = reduce(live(repo('a')), told({ kind: 'removed', seq: 1, id: 'a' }), 0)
  expect(names(shown(gone, repo('a'), 3))).toEqual([])
  expect(names(shown(reduce(live(repo('a')), snapshot([]), 0), repo('a'), 3))).toEqual([])
  const again = reduce(gone, told({ kind: 'repo', seq: 2, repo: repo('a') }), 0)
  expect(names(again)).toEqual(['a'])
})
