import { expect, it } from 'vitest'
import type { Continuity, Entry } from '../wire/types'
import { blocks, withOpens } from './turns'

const text = (shown: string) => ({ shown, bytes: shown.length })
let next = 0
const entry = (kind: object, minute = 0): Entry =>
  ({ id: `${++next}.0`, at: new Date(Date.UTC(2026, 0, 1, 10, minute)).toISOString(), ...kind }) as Entry
const user = (shown: string, minute = 0) => entry({ kind: 'user', author: 'person', text: text(shown) }, minute)
const agent = (shown: string, message: string | null = null) => entry({ kind: 'agent', text: text(shown), message })
const use = (id: string) => entry({ kind: 'tool_use', tool_use: id, name: 'Bash', input: 'ls' })
const result = (id: string, failed = false) => entry({ kind: 'tool_result', tool_use: id, text: text('out'), failed })

it('tools in a row are one fold, each with its result, in whatever order results come', () => {
  const [, tools] = blocks([user('go'), use('a'), use('b'), result('b', true), result('a')])
  expect(tools).toMatchObject({
    kind: 'tools',
    tools: [
      { id: 'a', result: { failed: false } },
      { id: 'b', result: { failed: true } },
    ],
  })
})

it('a tool without a result is still at it', () => {
  expect(blocks([use('a')])).toMatchObject([{ kind: 'tools', tools: [{ result: null }] }])
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

it('does not change the entries that it reads', () => {
  const entries = [agent('a', 'm1'), agent('b', 'm1'), use('a'), result('a')]
  const before = structuredClone(entries)
  blocks(entries)
  blocks(entries)
  expect(entries).toEqual(before)
})

const open = (minute: number, sentence: string): Continuity => ({
  kind: 'resumed',
  code: 'resumed',
  sentence,
  at: new Date(Date.UTC(2026, 0, 1, 10, minute)).toISOString(),
})
const kinds = (entries: Entry[]) =>
  entries.map((one) => (one.kind === 'continuity' ? one.continuity.sentence : one.kind === 'user' ? one.text.shown : ''))

it('statements of opens stand where they were told', () => {
  const talk = [user('one', 10), user('two', 30)]
  expect(kinds(withOpens(talk, [open(5, 'A'), open(20, 'B'), open(40, 'C')], true))).toEqual(['A', 'one', 'B', 'two', 'C'])
})

it('what was told before the loaded page, or in an earlier conversation, is not shown', () => {
  const talk = [user('one', 10)]
  expect(kinds(withOpens(talk, [open(5, 'A')], false))).toEqual(['one'])
  expect(kinds(withOpens(talk, [open(1, 'other'), open(5, 'A')], true))).toEqual(['A', 'one'])
})

it('one open that is told twice is shown once', () => {
  expect(kinds(withOpens([user('one', 10)], [open(20, 'B'), open(20, 'B')], true))).toEqual(['one', 'B'])
})

it('an empty conversation shows how it began', () => {
  expect(kinds(withOpens([], [open(20, 'B')], true))).toEqual(['B'])
})
