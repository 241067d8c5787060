import { expect, it } from 'vitest'
import type { Entry } from '../wire/types'
import { idUntilAnswered, pending } from './asked'
import { repo } from '../../tests/repo'

const at = Date.parse('2026-01-01T10:00:00.000Z')
const said = (text: string, ms = at + 1_000): Entry => ({
  id: '1.0',
  at: new Date(ms).toISOString(),
  kind: 'user',
  author: 'person',
  text: { shown: text, bytes: text.length },
})
const sent = [{ id: 'a1', text: 'why  is\nthat?', at }]

it('what was sent is shown until its prompt is in the conversation', () => {
  expect(pending(repo('r'), sent, []).map((ask) => ask.text)).toEqual(['why  is\nthat?'])
  expect(pending(repo('r'), sent, [said('why is that?')])).toEqual([])
})

it('the same words from long before are another prompt', () => {
  expect(pending(repo('r'), sent, [said('why is that?', at - 60_000)])).toHaveLength(1)
})

it('an ask that the server tells of is not shown twice', () => {
  const waiting = { id: 'a1', text: 'why  is\nthat?', at: new Date(at).toISOString(), stage: 'waiting' as const, reason: 'A turn is in progress.' }
  expect(pending(repo('r', { asks: [waiting] }), sent, [])).toEqual([waiting])
  expect(pending(repo('r', { asks: [{ ...waiting, stage: 'taken' }] }), sent, [])).toEqual([])
})

it('an ask that the stream tells of before its request is answered is not shown twice', () => {
  const told = { id: 'a2', text: 'why is that?', at: new Date(at).toISOString(), stage: 'waiting' as const, reason: null }
  const own = { id: idUntilAnswered(at), text: 'why  is\nthat?', at }
  expect(pending(repo('r', { asks: [told] }), [own], [])).toEqual([told])
  expect(pending(repo('r', { asks: [told] }), [own, { ...own, id: idUntilAnswered(at + 1) }], [])).toHaveLength(2)
  expect(pending(repo('r', { asks: [{ ...told, text: 'why is…' }] }), [own], [])).toHaveLength(1)
})
