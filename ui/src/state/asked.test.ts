import { expect, it } from 'vitest'
import type { Entry } from '../wire/types'
import { idUntilAnswered, outcome, pending } from './asked'
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

it('only what the engine never took goes back to its writer', () => {
  const trouble = (code: string) => ({ code, title: code, message: 'It is so.', hints: [], severity: 'warning' as const })
  const of = (status: number, code: string) => outcome({ status, trouble: trouble(code) })
  expect([of(504, 'timed_out'), of(401, 'unauthorized'), of(0, 'runner_not_running')]).toEqual(Array(3).fill('goes on'))
  expect([of(502, 'turn_interrupted'), of(502, 'turn_failed'), of(404, 'no_such_ask')]).toEqual(Array(3).fill('over'))
  expect(of(409, 'owned_elsewhere')).toEqual(trouble('owned_elsewhere'))
  expect(of(502, 'not_taken')).toEqual(trouble('not_taken'))
})
