// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from 'vitest'
import { happened, repo } from '../../tests/repo'
import { api } from '../link/api'
import { Refused } from '../link/http'
import type { Entry } from '../wire/types'
import { ELSEWHERE, remembered, written } from './asked'
import { asks } from './asks.svelte'

vi.mock('../link/api', () => ({ api: { ask: vi.fn(), whenFree: vi.fn() } }))
const shown = vi.hoisted(() => ({ repo: null as unknown }))
vi.mock('./app.svelte', () => ({ app: { repo: () => shown.repo, show: vi.fn() } }))
vi.mock('./here.svelte', () => ({ here: { repo: null } }))

const trouble = (code: string, message = '') => ({ code, title: '', message, hints: [], severity: 'notice' as const, about: null })
/** Each test has a repo of its own. */
let shop = repo('r0')

/** What wasn't sent, since the conversation is open elsewhere. */
beforeEach(() => {
  shop = repo(`r${Number(shop.id.slice(1)) + 1}`)
  vi.clearAllMocks()
  shown.repo = null
  vi.mocked(api.whenFree).mockResolvedValue({ repo: shop })
  const failed = ['One.', 'Two.'].map((text, at) => ({ id: `${shop.id} ${text}`, text, at: Date.now() + at, over: Date.now(), trouble: trouble(ELSEWHERE) }))
  localStorage.setItem(`repose.asks.${shop.id}`, written({ sent: [], failed, away: [] }) ?? '')
  asks.settle(shop, [])
  expect(left()).toEqual(['One.', 'Two.'])
})

const conversation = (id: string) => ({ id, last_activity: null, turns: 1, context_tokens: null, transcript: null })
const stored = () => remembered(localStorage.getItem(`repose.asks.${shop.id}`), Date.now())
const left = () => asks.cameToNothing(shop, [], true).map(({ text }) => text)
const answered = { answer: null, continuity: null, ask: 'a', waits_for_resume: true, repo: shop }

it('what is dismissed or asked again while the one before it is sent isn’t sent with it', async () => {
  let sent: (value: typeof answered) => void = () => undefined
  vi.mocked(api.ask).mockReturnValueOnce(new Promise((done) => (sent = done)))
  const all = asks.openWhenFree(shop.id)
  await vi.waitFor(() => expect(api.ask).toHaveBeenCalled())
  expect(left()).toEqual(['Two.'])
  asks.away(shop.id, { id: `${shop.id} Two.`, entry: null })
  sent(answered)
  await all
  expect(vi.mocked(api.ask).mock.calls.map(([, text]) => text)).toEqual(['One.'])
  expect(left()).toEqual([])
})

it('what is refused then stands there with why, and what comes after it stays as it is', async () => {
  vi.mocked(api.ask).mockRejectedValueOnce(new Refused(409, trouble('queue_full', 'Too many wait.')))
  await asks.openWhenFree(shop.id)
  expect(api.ask).toHaveBeenCalledTimes(1)
  const shown = asks.cameToNothing(shop, [], true).map(({ text, why }) => [text, why.words])
  expect(shown).toEqual([['One.', 'Too many wait.'], ['Two.', 'Its conversation was open elsewhere.']])
})

it('what goes along with the open waits for it, and stays stored until it is accepted', async () => {
  let sent: (value: typeof answered) => void = () => undefined
  vi.mocked(api.ask).mockReturnValueOnce(new Promise((done) => (sent = done))).mockResolvedValue(answered)
  // The stream hasn't told yet that it opens when it is free.
  shown.repo = shop
  const all = asks.openWhenFree(shop.id)
  await vi.waitFor(() => expect(api.ask).toHaveBeenCalledWith(shop.id, 'One.', true))
  expect(stored()?.failed.map(({ text }) => text)).toEqual(['One.', 'Two.'])
  sent(answered)
  await all
  expect(api.ask).toHaveBeenLastCalledWith(shop.id, 'Two.', true)
  expect(stored()?.failed).toEqual([])
})

it('a question is queued once, however often that is pressed, and comes back if it is refused', async () => {
  const [one] = asks.cameToNothing(shop, [], true)
  if (!one) throw new Error('there is none')
  let refuse: (why: Refused) => void = () => undefined
  vi.mocked(api.ask).mockReturnValueOnce(new Promise((_, reject) => (refuse = reject)))
  const both = [asks.later(shop.id, one), asks.later(shop.id, one)]
  expect([vi.mocked(api.ask).mock.calls.length, left()]).toEqual([1, ['Two.']])
  refuse(new Refused(409, trouble('queue_full')))
  await Promise.all(both)
  expect(left()).toEqual(['One.', 'Two.'])
})

it('a question that is dismissed is not shown for another reason then', () => {
  const question = { id: '4096.0', at: null, kind: 'user', author: 'person', text: { shown: 'One.', bytes: 4 } } as Entry
  const last = happened('paused', new Date(Date.now() + 9_000).toISOString(), 'Paused.')
  const here = { ...shop, last, conversation: conversation('c') }
  const told = () => asks.cameToNothing(here, [question], true).map(({ id }) => id)
  shown.repo = here
  expect(told()).toEqual([`${shop.id} One.`, `${shop.id} Two.`])
  for (const ask of asks.cameToNothing(here, [question], true)) asks.away(here.id, ask)
  expect(told()).toEqual([])
})

it('what is dismissed in one conversation stays in another, and away after a reload', () => {
  const question = { id: '4096.0', at: null, kind: 'user', author: 'person', text: { shown: 'why?', bytes: 4 } } as Entry
  const last = happened('ended', new Date().toISOString(), 'The agent ended.')
  const here = repo(`${shop.id}-cut`, { last, conversation: conversation('c') })
  const away = (of: typeof here) => asks.cameToNothing(of, [question], true).length === 0
  shown.repo = here
  asks.away(here.id, { id: question.id, entry: question.id })
  expect([here, repo('other', { last, conversation: conversation('c') }), { ...here, conversation: conversation('d') }].map(away)).toEqual([true, false, false])
  expect(localStorage.getItem(`repose.asks.${here.id}`)).toContain('{"conversation":"c","id":"4096.0"}')
})
