import { expect, it } from 'vitest'
import { happened as what, hold, repo } from '../../tests/repo'
import type { HappenedKind, Repo } from '../wire/types'
import { groups, hasTurn, markOf, tally } from './group'
import { happened, letGo, rests, statement } from './happened'
import { losesWork, named } from './work'

const now = Date.parse('2026-01-01T12:00:00.000Z')
const at = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
const conversation = { id: 'c', last_activity: at(3), turns: 2, context_tokens: 1_000, transcript: null }

it('live on top, paused right under, the others below', () => {
  const repos = (['asleep', 'paused', 'offline', 'ready', 'waiting'] as const).map((state) => repo(state, { state }))
  const shape = groups(repos, '', null).map((group) => [group.title, group.repos.map((one) => one.state)])
  expect(shape).toEqual([
    ['Live', ['ready', 'waiting']],
    ['Paused', ['paused']],
    ['Offline', ['offline']],
    ['Asleep', ['asleep']],
  ])
  expect(tally(repos)[0]).toEqual(['waiting', 1])
})

it('every word that is typed has to fit: name, path, branch or state', () => {
  const repos = [repo('atlas', { branch: 'fix/tiles' }), repo('billing')]
  const found = (typed: string) => groups(repos, typed, null).flatMap((group) => group.repos.map((one) => one.name))
  expect(found('TILES atl')).toEqual(['atlas'])
  expect(found('code')).toEqual(['atlas', 'billing'])
  expect(found('atlas nothing')).toEqual([])
  const failed = repo('cart', { state: 'ready', last: what('turn_over', at(1)) })
  expect(groups([...repos, failed], 'failed', null).flatMap((group) => group.repos.map((one) => one.name))).toEqual(['cart'])
})

const continuity = { kind: 'resumed' as const, code: 'resumed', sentence: 'Picked up.', at: at(5), interrupted: [] }
const reaped = (early: string | null) => repo('a', { freed_bytes: 156e6, last: { ...what('reaped', at(1)), early } })

it.each([
  [repo('a', { state: 'ready', conversation }), 'answered 3 min ago'],
  [repo('a', { state: 'ready', conversation, continuity, last: what('opened', at(2)) }), 'picked up 2 min ago'],
  [reaped(null), 'let go 1 min ago, freed 156 MB'],
  [
    reaped('because the machine was short of memory'),
    'let go 1 min ago because the machine was short of memory, freed 156 MB',
  ],
  [repo('a', { conversation, owner: { pid: 123, terminal: '/dev/pts/3', command: null } }), 'open elsewhere (pid 123 in pts/3)'],
  [repo('a', { state: 'asleep', freed_bytes: 266e6 }), 'asleep, freed 266 MB'],
  [repo('a', { state: 'asleep', freed_bytes: 266e6, last: what('stopped', at(1)) }), 'stopped 1 min ago, freed 266 MB'],
  [repo('a', { state: 'paused', freed_bytes: 1.2e9, queued: 2 }), 'paused, freed 1.2 GB, 2 queued'],
  [
    repo('a', { state: 'waiting', holds: [hold('waiting', { waits_for: 'permission', subject: 'run `ls`', detail: 'a permission' })] }),
    'asks to run ls',
  ],
  [repo('a', { state: 'waiting', holds: [hold('waiting', { waits_for: 'choice', detail: 'a choice that it offered' })] }), 'asks you to choose'],
  [
    repo('a', { state: 'waiting', holds: [hold('waiting', { waits_for: 'choice', subject: 'Which?', detail: 'the choice "Which?"' })] }),
    'asks “Which?”',
  ],
  [
    repo('a', { state: 'waiting', holds: [hold('waiting', { waits_for: 'choice', subject: 'Which way to a_b?' })] }),
    'asks “Which way to a_b?”',
  ],
  [
    repo('a', { state: 'waiting', holds: [hold('waiting', { waits_for: 'choice', subject: 'Which colour should the roof have?' })] }),
    'asks “Which colour should…”',
  ],
  [
    repo('a', { state: 'ready', holds: [hold('process', { subject: 'echo `date`', detail: '`echo `date``, which is working' })] }),
    'runs echo `date`, 1 min',
  ],
  [repo('a', { state: 'working', holds: [hold('turn', { since: at(4) })] }), 'working for 4 min'],
])('says what happened last', (one, words) => expect(happened(one, now)).toBe(words))

it('counts the seconds of an open', () => {
  expect(happened(repo('a', { state: 'opening' }), now, { state: 'opening', at: now - 2_400 })).toBe('opening… 2 s')
})

it('says when it is let go', () => {
  expect(letGo(repo('a', { reap_at: at(-6 * 60 + 0.1) }), now, null)).toContain('in 6 h')
  expect(letGo(repo('a', { pinned: true }), now, null)).toContain('pinned')
  const held = repo('a', { holds: [hold('turn')] })
  expect(letGo(held, now, 6 * 3_600_000)).toBe('It is let go once all of this is over and nobody has used it for 6 h.')
  const goes = (keeps: Repo['keeps']) => letGo(repo('a', { reap_at: at(-6), keeps }), now, null)
  expect(goes('picked_up')).toContain('its conversation stays.')
  expect(goes('listed')).toContain('isn’t picked up again.')
  expect(goes('nothing')).not.toContain('conversation')
})

it('how the open came out is news until the first turn after it is over', () => {
  const last = (kind: HappenedKind, minutes: number) => what(kind, at(minutes))
  const told = (more: object) => statement(repo('a', { state: 'ready', continuity, ...more }))?.sentence ?? null
  expect(told({ last: last('opened', 5) })).toBe('Picked up.')
  expect(told({ last: last('answered', 9) })).toBe('Picked up.')
  expect(told({ last: last('answered', 3) })).toBeNull()
  expect(told({ last: last('turn_over', 3), state: 'working' })).toBeNull()
  expect(told({ conversation })).toBeNull()
  expect(told({ last: last('opened', 5), state: 'asleep' })).toBeNull()
})

it('what an end would lose: work of an agent that runs, questions that wait where none does', () => {
  expect(losesWork(repo('a', { state: 'working', holds: [hold('turn')] }))).toBe(true)
  expect(losesWork(repo('a', { state: 'ready', holds: [hold('pinned', { work: false }), hold('client', { work: false })] }))).toBe(false)
  expect(losesWork(repo('a', { state: 'opening' }))).toBe(true)
  const waits = repo('a', { state: 'ready', queued: 1 })
  expect((['stop', 'remove', 'pause', 'fresh', 'engine'] as const).map((order) => losesWork(waits, order))).toEqual([true, true, true, false, false])
  expect([losesWork(repo('a', { queued: 1 })), losesWork(repo('a'))]).toEqual([true, false])
  const names = (...ids: string[]) => named(ids.map((id) => repo(id)))
  expect([names('a'), names('a', 'b'), names('a', 'b', 'c'), names('a', 'b', 'c', 'd')]).toEqual(['a', 'a and b', 'a, b and c', 'these 4'])
})

it('a turn can be interrupted while it works, and while it waits for a decision', () => {
  const decision = { id: 'd', kind: 'choice' as const, title: 'Which?', detail: null, detail_cut: false, title_says_all: true, choices: [] }
  const repos = [repo('a', { state: 'working' }), repo('b', { state: 'waiting', decision }), repo('c', { state: 'waiting' }), repo('d', { state: 'ready' })]
  expect(repos.map(hasTurn)).toEqual([true, true, false, false])
})

it('a turn that failed is no calm end, in the row and where repos are counted; one that was interrupted is', () => {
  const ended = (kind: HappenedKind, state: Repo['state'] = 'ready') =>
    repo(kind, { state, conversation, last: what(kind, at(1)) })
  const repos = [ended('turn_over'), ended('interrupted'), ended('answered')]
  expect(repos.map(markOf)).toEqual(['failed', 'ready', 'ready'])
  expect(markOf(ended('turn_over', 'working'))).toBe('working')
  expect(tally(repos)).toEqual([['failed', 1], ['ready', 2]])
  expect(groups(repos, '', 'failed').flatMap((group) => group.repos.map(({ id }) => id))).toEqual(['turn_over'])
  expect(repos.map((one) => happened(one, now))).toEqual([
    'stopped without an answer 1 min ago',
    'interrupted 1 min ago',
    'answered 3 min ago',
  ])
})

it('one that sleeps and has no news takes one line', () => {
  expect(rests(repo('a', { state: 'asleep', conversation }), now)).toBe('3 min ago')
  expect(rests(repo('a', { state: 'asleep' }), now)).toBe('')
  for (const news of [{ freed_bytes: 266e6 }, { last: what('stopped', at(1)) }, { conversation, owner: { pid: 123, terminal: null, command: null } }])
    expect(rests(repo('a', { state: 'asleep', ...news }), now)).toBeNull()
})
