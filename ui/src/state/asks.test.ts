// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from 'vitest'
import { repo } from '../../tests/repo'
import { api } from '../link/api'
import { Refused } from '../link/http'
import { ELSEWHERE, written } from './asked'
import { asks } from './asks.svelte'

vi.mock('../link/api', () => ({ api: { ask: vi.fn(), whenFree: vi.fn() } }))
vi.mock('./app.svelte', () => ({ app: { repo: () => null, show: vi.fn() } }))
vi.mock('./here.svelte', () => ({ here: { repo: null } }))

const trouble = (code: string, message = '') => ({ code, title: '', message, hints: [], severity: 'notice' as const, about: null })
/** Each test has a repo of its own. */
let shop = repo('r0')

/** What wasn't sent, since the conversation is open elsewhere. */
beforeEach(() => {
  shop = repo(`r${Number(shop.id.slice(1)) + 1}`)
  vi.clearAllMocks()
  vi.mocked(api.whenFree).mockResolvedValue({ repo: shop })
  const failed = ['One.', 'Two.'].map((text, at) => ({ id: `${shop.id} ${text}`, text, at: Date.now() + at, over: Date.now(), trouble: trouble(ELSEWHERE) }))
  localStorage.setItem(`repose.asks.${shop.id}`, written([], failed) ?? '')
  asks.settle(shop, [])
  expect(left()).toEqual(['One.', 'Two.'])
})

const left = () => asks.cameToNothing(shop, []).map(({ text }) => text)
const answered = { answer: null, continuity: null, ask: 'a', waits_for_resume: true, repo: shop }

it('what is dismissed or asked again while the one before it is sent isn’t sent with it', async () => {
  let sent: (value: typeof answered) => void = () => undefined
  vi.mocked(api.ask).mockReturnValueOnce(new Promise((done) => (sent = done)))
  const all = asks.openWhenFree(shop.id)
  await vi.waitFor(() => expect(api.ask).toHaveBeenCalled())
  expect(left()).toEqual(['Two.'])
  asks.away(shop.id, `${shop.id} Two.`)
  sent(answered)
  await all
  expect(vi.mocked(api.ask).mock.calls.map(([, text]) => text)).toEqual(['One.'])
  expect(left()).toEqual([])
})

it('what is refused then stands there with why, and what comes after it stays as it is', async () => {
  vi.mocked(api.ask).mockRejectedValueOnce(new Refused(409, trouble('queue_full', 'Too many wait.')))
  await asks.openWhenFree(shop.id)
  expect(api.ask).toHaveBeenCalledTimes(1)
  const shown = asks.cameToNothing(shop, []).map(({ text, why }) => [text, why.words])
  expect(shown).toEqual([['One.', 'Too many wait.'], ['Two.', 'Its conversation was open elsewhere.']])
})
