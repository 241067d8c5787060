import { expect, it } from 'vitest'
import type { Entry, Interrupted, Repo } from '../wire/types'
import { cameToNothing as nothing, idUntilAnswered, outcome, pending as all, remembered, seen, waits, written, type Failed, type Sent } from './asked'
import { happened, repo } from '../../tests/repo'

const at = Date.parse('2026-01-01T10:00:00.000Z')
const said = (text: string, ms = at + 1_000): Entry => ({
  id: '1.0',
  at: new Date(ms).toISOString(),
  kind: 'user',
  author: 'person',
  text: { shown: text, bytes: text.length },
})
const pending = (...[one, own, entries]: [Repo, readonly Sent[], readonly Entry[]]) => all(one, own, entries, true)
const cameToNothing = (...[one, failed, entries]: [Repo, readonly Failed[], readonly Entry[]]) => nothing(one, failed, entries, true)
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
})

it('an ask that the engine has taken stays until it stands in the conversation', () => {
  const taken = { id: 'a1', text: 'why  is…', at: new Date(at).toISOString(), stage: 'taken' as const, reason: null }
  const one = repo('r', { asks: [taken] })
  for (const own of [sent, []]) {
    expect(pending(one, own, [])).toEqual([taken])
    expect(pending(one, own, [said('something else')])).toEqual([taken])
    expect(pending(one, own, [said('why is that?')])).toEqual([])
  }
  // In a long turn it stands further up than what is loaded.
  const later = said('done', at + 60_000)
  expect(all(one, [], [later], false)).toEqual([])
  expect(all(one, [], [later], true)).toEqual([taken])
})

it('what was asked is known after a reload, as far as its end could be learnt', () => {
  const own = [...sent, { id: idUntilAnswered(at), text: 'on its way', at }]
  const away = [{ conversation: 'c', id: '1.0' }]
  const text = written({ sent: own, failed, away })
  expect(remembered(text, at + 1)).toEqual({ sent: [{ ...sent[0], before: true }], failed, away })
  expect(remembered(text, at + 30 * 3_600_000)).toEqual({ sent: [], failed: [], away })
  expect(written({ sent: [], failed: [], away: [] })).toBeNull()
  expect(remembered('{"sent":[],"failed":[]}', at)).toEqual({ sent: [], failed: [], away: [] })
  expect([remembered(null, at), remembered('{', at), remembered('{}', at)]).toEqual([null, null, null])
})

it('an ask that the stream tells of before its request is answered is not shown twice', () => {
  const told = { id: 'a2', text: 'why is that?', at: new Date(at).toISOString(), stage: 'waiting' as const, reason: null }
  const own = { id: idUntilAnswered(at), text: 'why  is\nthat?', at }
  expect(pending(repo('r', { asks: [told] }), [own], [])).toEqual([told])
  expect(pending(repo('r', { asks: [told] }), [own, { ...own, id: idUntilAnswered(at + 1) }], [])).toHaveLength(2)
  expect(pending(repo('r', { asks: [{ ...told, text: 'why is…' }] }), [own], [])).toHaveLength(1)
})

it('an ask is seen in the conversation also where the engine composed its accents and left out what shows nothing', () => {
  const asked = [{ id: 'a1', text: 'cafe\u0301\u200b \u2764\ufe0f', at }]
  expect(pending(repo('r'), asked, [said('caf\u00e9 \u2764', at + 1_000)])).toEqual([])
  expect(pending(repo('r'), asked, [said('cafe \u2764', at + 1_000)])).toHaveLength(1)
})

const trouble = (code: string) => ({ code, title: code, message: 'It is so.', hints: [], severity: 'warning' as const, about: null })

it('no server, no login and no answer yet say nothing of an ask; everything else is its end', () => {
  const of = (status: number, code: string) => outcome({ status, trouble: trouble(code) })
  expect([of(504, 'timed_out'), of(401, 'unauthorized'), of(0, 'runner_not_running')]).toEqual(Array(3).fill('goes on'))
  for (const code of ['not_taken', 'engine_ended', 'no_such_ask']) expect(of(502, code)).toEqual(trouble(code))
})

const failed = [{ id: 'a1', text: 'why is that?', at, trouble: trouble('not_taken'), over: at + 2_000 }]
const mark = (kind: 'interrupted' | 'failed') =>
  ({ id: '2.0', at: null, kind, text: { shown: 'no', bytes: 2 } }) as Entry

it('what was not answered before a fresh start stands above it', () => {
  const asked = failed.map((ask) => ({ ...ask, over: at + 3_500, conversation: 'old' }))
  const begin = { id: '9.0', at: new Date(at + 3_000).toISOString(), kind: 'continuity', continuity: {} } as Entry
  const before = (id: string) =>
    cameToNothing(repo('r', { conversation: { id, last_activity: null, turns: 0, context_tokens: null, transcript: null } }), asked, [begin, said('another', at + 4_000)])[0]?.before
  expect([before('new'), before('old')]).toEqual(['9.0', '1.0'])
})

it('what came to nothing stands there with the reason until it is asked again, whatever else is asked', () => {
  const shown = cameToNothing(repo('r'), failed, [])
  expect(shown).toEqual([
    { id: 'a1', text: 'why is that?', lost: true, entry: null, before: null, calm: false, why: { title: 'not_taken', words: 'It is so.' } },
  ])
  expect(cameToNothing(repo('r'), failed, [said('before', at - 60_000)])).toHaveLength(1)
  expect(cameToNothing(repo('r'), failed, [said('another', at + 1_500)])).toMatchObject([{ lost: true, before: null }])
  expect(seen(failed, [said('another', at + 3_000)])).toBe(failed)
  expect(cameToNothing(repo('r'), failed, [said('why is that?', at + 3_000)])).toEqual([])
  const told = repo('r', { trouble: trouble('not_taken') })
  expect(cameToNothing(told, failed, [])[0]?.why.words).toBe('It was not sent.')
})

const begins = (id: string, ms: number, interrupted: Interrupted[] = []): Entry => ({
  id,
  at: new Date(ms).toISOString(),
  kind: 'continuity',
  continuity: { kind: 'resumed', code: 'resumed', sentence: 'Picked up.', at: new Date(ms).toISOString(), interrupted },
})
const TURN = [{ words: 'a turn in progress', permission: false }]

it('what was not sent keeps its place among what is said after it', () => {
  const next = { ...said('another', at + 9_000), id: '9.0' }
  const agent = { id: '3.0', at: new Date(at + 4_000).toISOString(), kind: 'agent', message: null, text: { shown: 'So.', bytes: 3 } } as Entry
  const place = (entries: Entry[], whole = true, ask = failed) => nothing(repo('r'), ask, entries, whole).map(({ before }) => before)
  expect(place([begins('o.1', at + 5_000), next])).toEqual(['o.1'])
  expect(place([agent, next])).toEqual(['9.0'])
  expect(place([agent])).toEqual([null])
  // Its outcome was learnt after a reload, when other things had been asked.
  const late = [{ ...failed[0]!, over: at + 60_000, before: true as const }]
  expect(place([agent, next], true, late)).toEqual(['9.0'])
  // It is further up than what is loaded.
  expect([place([next], false), place([said('before', at - 1_000), next], false)]).toEqual([[], ['9.0']])
})

it('a question that an end cut off is offered in its place after the agent was opened again, until it is asked again', () => {
  const question = { ...said('why?'), id: '1.0' }
  const more = { ...said('another', at + 9_000), id: '9.0' }
  const cut = (...after: Entry[]) => cameToNothing(repo('r', { state: 'ready' }), [], [question, ...after]).map(({ id, before, lost }) => [id, before, lost])
  expect(cut(begins('o.1', at + 5_000, TURN))).toEqual([['1.0', 'o.1', false]])
  expect(cut(begins('o.1', at + 5_000, TURN), more)).toEqual([['1.0', 'o.1', false]])
  expect(cut(begins('o.1', at + 5_000, TURN), { ...said('why?', at + 9_000), id: '9.0' })).toEqual([])
  expect(cut(begins('o.1', at + 5_000))).toEqual([])
  const agent = { id: '3.0', at: null, kind: 'agent', message: null, text: { shown: 'So.', bytes: 3 } } as Entry
  expect(cut(agent, begins('o.1', at + 5_000, TURN))).toEqual([])
})

it('what was not sent because of another program says no more than that once it is closed there', () => {
  const elsewhere = [{ ...failed[0]!, trouble: trouble('owned_elsewhere') }]
  const why = (owner: Repo['owner']) => cameToNothing(repo('r', { owner }), elsewhere, [])
  expect(why({ pid: 1, terminal: null, command: null })).toMatchObject([{ calm: true, why: { title: 'Not sent', words: '' } }])
  expect(why(null)).toMatchObject([{ calm: true, why: { title: 'Not sent', words: 'Its conversation was open elsewhere.' } }])
})

it('what the engine took and didn’t answer says so in its place, and nowhere while that isn’t loaded', () => {
  const next = { ...said('another', at + 60_000), id: '9.0' }
  expect(cameToNothing(repo('r'), failed, [said('why is that?'), next])).toMatchObject([{ lost: false, before: '9.0' }])
  const stood = seen(failed, [said('why is that?'), next])
  expect(stood).toMatchObject([{ stood: true }])
  expect(cameToNothing(repo('r'), stood, [next])).toEqual([])
  // Of a later turn the conversation tells something else.
  expect(seen(failed, [said('why is that?'), next, mark('interrupted')])).toHaveLength(1)
})

it('a pause that came before an ask is the reason, also after Resume', () => {
  const dropped = [{ ...failed[0]!, trouble: trouble('paused') }]
  expect(cameToNothing(repo('r'), dropped, [])).toMatchObject([{ calm: true, why: { title: 'Not sent', words: 'A pause came before it.' } }])
  const last = happened('paused', new Date(at + 9_000).toISOString(), 'Paused.')
  expect(cameToNothing(repo('r', { last }), [], [said('why?')])).toMatchObject([{ lost: false, why: { title: 'Interrupted' } }])
  const stopped = { ...last, kind: 'stopped' as const }
  expect(cameToNothing(repo('r', { last: stopped }), [], [said('why?')])).toMatchObject([
    { calm: true, why: { words: 'The repo was stopped before this was answered.' } },
  ])
  const agent = { id: '3.0', at: null, kind: 'agent', message: null, text: { shown: 'So.', bytes: 3 } } as Entry
  expect(cameToNothing(repo('r', { last }), [], [said('why?'), agent])).toEqual([])
})

it('what was answered stays answered, whatever the agent did by itself before the pause', () => {
  const last = happened('paused', new Date(at + 9_000).toISOString(), 'Paused.')
  const part = (kind: string, more = {}) => ({ id: '3.0', at: null, kind, message: null, text: { shown: 'So.', bytes: 3 }, ...more }) as Entry
  const [agent, compacted, tool] = [part('agent'), part('compacted'), part('tool_use')]
  const itself = part('user', { author: 'engine' })
  const cut = (...after: Entry[]) => cameToNothing(repo('r', { last }), [], [said('why?'), ...after]).length
  expect([cut(agent, compacted), cut(agent, itself), cut(agent, itself, tool)]).toEqual([0, 0, 0])
  // Within its turn these end nothing.
  expect([cut(compacted), cut(tool, compacted), cut(tool, itself, tool)]).toEqual([1, 1, 1])
})

it('an ask says what it waits for', () => {
  const ask = { id: 'a1', text: 'why?', at: new Date(at).toISOString(), stage: 'waiting' as const, reason: null }
  const behind = { ...ask, reason: 'It is sent after the asks before it.' }
  expect(waits(repo('r'), ask)).toBe('Sent.')
  expect(waits(repo('r'), behind)).toBe(behind.reason)
  expect(waits(repo('r', { opens_when_free: true }), ask)).toBe('It is sent once its conversation is closed elsewhere.')
  expect(waits(repo('r', { state: 'waiting' }), behind)).toBe('It is sent once you have answered what the agent waits for.')
})

it('what the engine took stands once, and where the conversation says how it ended nothing is added', () => {
  expect(cameToNothing(repo('r'), failed, [said('why is that?')])).toMatchObject([{ lost: false }])
  for (const kind of ['interrupted', 'failed'] as const) {
    expect(cameToNothing(repo('r'), failed, [said('why is that?'), mark(kind)])).toEqual([])
  }
})

it('a question in the middle of which the agent ended says so, also after a reload', () => {
  const ended = repo('r', { last: happened('ended', new Date(at + 9_000).toISOString(), 'The agent ended. It was killed by signal 9 (SIGKILL).') })
  const tool = { id: '2.0', at: null, kind: 'tool_use', tool_use: 't', name: 'Bash', input: 'ls', whole: { shown: '{}', bytes: 2 } } as Entry
  const agent = { id: '3.0', at: null, kind: 'agent', message: null, text: { shown: 'So.', bytes: 3 } } as Entry
  const command = { id: '4.0', at: null, kind: 'command', text: { shown: '/exit', bytes: 5 } } as Entry
  expect(cameToNothing(ended, [], [said('why?')])).toMatchObject([{ text: 'why?', lost: false, why: { words: ended.last?.sentence } }])
  expect(cameToNothing(ended, [], [said('why?'), tool])).toHaveLength(1)
  expect(cameToNothing(ended, [], [said('why?'), agent, command])).toEqual([])
  expect(cameToNothing(repo('r'), [], [said('why?')])).toEqual([])
  expect(cameToNothing(ended, [], [said('asked since, elsewhere', at + 60_000)])).toEqual([])
})
