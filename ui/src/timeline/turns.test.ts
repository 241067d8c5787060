import { expect, it } from 'vitest'
import type { Entry, Interrupted, ToolEnd } from '../wire/types'
import { blocks, isCut } from './turns'

const text = (shown: string) => ({ shown, bytes: shown.length })
let next = 0
const entry = (kind: object, minute = 0): Entry =>
  ({ id: `${++next}.0`, at: new Date(Date.UTC(2026, 0, 1, 10, minute)).toISOString(), ...kind }) as Entry
const user = (shown: string, minute = 0) => entry({ kind: 'user', author: 'person', text: text(shown) }, minute)
const agent = (shown: string, message: string | null = null) => entry({ kind: 'agent', text: text(shown), message })
const use = (id: string) => entry({ kind: 'tool_use', tool_use: id, name: 'Bash', input: 'ls', whole: text('{"command":"ls"}'), questions: [] })
const result = (id: string, end: ToolEnd = 'done') => entry({ kind: 'tool_result', tool_use: id, text: text('out'), note: null, answers: [], end })

it('tools in a row are one fold, each with its result, in whatever order results come', () => {
  const [, tools] = blocks([user('go'), use('a'), use('b'), result('b', 'failed'), result('a')])
  expect(tools).toMatchObject({
    kind: 'tools',
    tools: [
      { result: { end: 'done' } },
      { result: { end: 'failed' } },
    ],
  })
})

it('a tool without a result is still at it', () => {
  expect(blocks([use('a')])).toMatchObject([{ kind: 'tools', tools: [{ result: null }] }])
})

it('a tool without a result is over once its turn or its process is', () => {
  const over = (...after: Entry[]) => blocks([use('a'), ...after]).map((block) => block.kind === 'tools' && block.tools.map((tool) => tool.over))[0]
  const continuity = { kind: 'resumed', code: 'resumed', sentence: 'Picked up.', at: '2026-01-01T10:00:00.000Z', interrupted: [] }
  for (const end of [{ kind: 'continuity', continuity }, { kind: 'interrupted' }, { kind: 'failed', text: text('no') }]) expect(over(entry(end))).toEqual([true])
  // Something may be said while it runs.
  expect([over(), over(user('and?')), over(agent('So.'))]).toEqual(Array(3).fill([false]))
})

it('a result that is written behind the end of its turn is its tool\'s', () => {
  const late = blocks([use('a'), entry({ kind: 'interrupted' }), result('a', 'failed')])
  expect(late).toMatchObject([{ kind: 'tools', tools: [{ result: { end: 'failed' } }] }, { kind: 'mark' }])
})

it('what an interruption refused was not run, and what somebody denied was denied', () => {
  const ends = (...entries: Entry[]) => blocks(entries).flatMap((block) => (block.kind === 'tools' ? block.tools.map((tool) => tool.result?.end) : []))
  const cut = entry({ kind: 'interrupted' })
  expect(ends(use('a'), use('b'), result('a', 'denied'), result('b', 'not_run'), cut)).toEqual(['not_run', 'not_run'])
  expect(ends(use('a'), result('a', 'denied'), use('b'), result('b', 'denied'), cut)).toEqual(['denied', 'not_run'])
  expect(ends(use('a'), result('a', 'denied'), agent('So.'), cut)).toEqual(['denied'])
})

it('a tool whose permission was never given before its agent was ended was never run', () => {
  const [turn, permission] = [{ words: 'a turn in progress', permission: false }, { words: 'the permission to run `Bash ls`', permission: true }]
  const open = (...interrupted: Interrupted[]) => entry({ kind: 'continuity', continuity: { kind: 'resumed', code: 'resumed', sentence: '', at: '', interrupted } })
  const never = (entries: Entry[], interrupted: Interrupted[] = []) =>
    blocks(entries, interrupted).flatMap((block) => (block.kind === 'tools' ? block.tools.map((tool) => tool.unallowed) : []))
  expect([never([use('a'), open(permission)]), never([use('a'), open(turn)]), never([use('a')], [permission]), never([use('a')])]).toEqual([[true], [false], [true], [false]])
  // Of several at once it is the one that was asked about.
  const other = { ...use('b'), input: 'Bash ls' } as Entry
  expect(never([{ ...use('a'), input: 'make' } as Entry, other, open(permission)])).toEqual([false, true])
  expect(never([use('a'), result('a'), open(permission)])).toEqual([false])
  expect(never([use('a'), result('a', 'untold'), open(permission)])).toEqual([true])
  // What ran before was cut off then.
  expect(never([use('a'), open(turn)], [permission])).toEqual([false])
})

it('a result whose use is on an earlier page stands for itself', () => {
  expect(blocks([result('x')])).toMatchObject([{ kind: 'tools', tools: [{ name: 'Result' }] }])
})

it('parts of one message are one text; other messages are others', () => {
  expect(blocks([agent('a', 'm1'), agent('b', 'm1'), agent('c', 'm2'), agent('d')])).toMatchObject([
    { text: { shown: 'a\n\nb' } },
    { text: { shown: 'c' } },
    { text: { shown: 'd' } },
  ])
})

it('what is cut stays marked as cut when parts are joined', () => {
  const whole = entry({ kind: 'agent', text: text('a'), message: 'm1' })
  const cut = entry({ kind: 'agent', text: { shown: 'ü', bytes: 70_000 }, message: 'm1' })
  const [block] = blocks([whole, cut])
  expect(block?.kind === 'agent' && isCut(block.text)).toBe(true)
  expect(isCut({ shown: 'ü', bytes: 2 })).toBe(false)
  expect(isCut({ shown: 'long'.repeat(10), bytes: 41 })).toBe(true)
})

it('a tool that the agent names twice is two', () => {
  const [tools] = blocks([use('same'), use('same'), result('same')])
  expect(tools?.kind === 'tools' && new Set(tools.tools.map(({ id }) => id)).size).toBe(2)
})

it('does not change the entries that it reads', () => {
  const entries = [agent('a', 'm1'), agent('b', 'm1'), use('a'), result('a')]
  const before = structuredClone(entries)
  blocks(entries)
  blocks(entries)
  expect(entries).toEqual(before)
})

it('an open stands where it was, in the words of every surface', () => {
  const continuity = { kind: 'resumed', code: 'resumed', sentence: 'Picked up.', at: '2026-01-01T10:00:00.000Z', interrupted: [] }
  expect(blocks([user('one'), entry({ kind: 'continuity', continuity })])).toMatchObject([
    { kind: 'user' },
    { kind: 'mark', text: 'Picked up.', tone: 'calm' },
  ])
})

it('what was picked up again and again without a word in between is told once', () => {
  const open = (id: string, sentence: string, more: object = {}) =>
    ({ ...entry({ kind: 'continuity', continuity: { kind: 'resumed', code: 'resumed', sentence, at: '', interrupted: [], ...more } }), id })
  const told = (...entries: Entry[]) => blocks(entries).flatMap((block) => (block.kind === 'mark' ? [[block.id, ...block.instead]] : [block.kind]))
  expect(told(user('one'), open('a', '3 s'), open('b', '9 s'), open('c', '1 h'))).toEqual(['user', ['c', 'a', 'b']])
  expect(told(open('a', '3 s'), user('one'), open('b', '9 s'))).toEqual([['a'], 'user', ['b']])
  // What an end cut off, and a fresh start, are told for themselves.
  const cut = { interrupted: [{ what: 'a turn', from: 'stop' }] }
  expect(told(open('a', '3 s', cut), open('b', '9 s'))).toEqual([['a'], ['b']])
  expect(told(open('a', 'Fresh', { kind: 'fresh' }), open('b', '9 s'))).toEqual([['a'], ['b']])
  expect(told(open('a', '3 s'), open('b', 'Fresh', { kind: 'fresh' }))).toEqual([['a'], ['b']])
})
