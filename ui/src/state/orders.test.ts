import { beforeEach, expect, it, vi } from 'vitest'
import { repo } from '../../tests/repo'
import { api } from '../link/api'
import { Refused } from '../link/http'
import { orders } from './orders.svelte'

vi.mock('../link/api', () => ({ api: { fork: vi.fn(), fresh: vi.fn(), resume: vi.fn(), stop: vi.fn() } }))
vi.mock('./app.svelte', () => ({ app: { show: vi.fn() } }))
vi.mock('./here.svelte', () => ({ here: { repo: null } }))

const work = { code: 'work_would_be_lost', title: 'Work would be lost', message: 'A turn.', hints: [], severity: 'warning' as const, work: 'turn 1', about: null }

beforeEach(() => {
  vi.clearAllMocks()
  orders.doubt = null
})

it.each([
  ['fork', () => orders.give('r', 'fork'), vi.mocked(api.fork)],
  ['continue', () => orders.resumeConversation('r', 'c'), vi.mocked(api.resume)],
  ['copy', () => orders.forkConversation('r', 'c'), vi.mocked(api.fork)],
] as const)('%s where work would be lost is asked about, and then done once that is stopped', async (name, give, order) => {
  const done: string[] = []
  const all = { ...work, message: 'A turn and an ask.', work: 'ask 2\nturn 1' }
  vi.mocked(api.stop).mockRejectedValueOnce(new Refused(409, all)).mockImplementation(async () => (done.push('stop'), { repo: repo('r') }))
  order.mockRejectedValueOnce(new Refused(409, work)).mockImplementation(async () => (done.push(name), { repo: repo('r') }))
  expect(await give()).toBe(false)
  // What Stop loses is asked about, and that once.
  expect(orders.doubt).toMatchObject({ order: name, trouble: all })
  expect(done).toEqual([])
  orders.doubt?.again()
  await vi.waitFor(() => expect(done).toEqual(['stop', name]))
  expect(vi.mocked(api.stop).mock.calls.map(([, atMost]) => atMost)).toEqual([null, all.work])
})

it('what is confirmed cuts off what was named; other work is asked about again', async () => {
  const more = { ...work, message: 'A turn and an ask.', work: 'ask 2\nturn 1' }
  vi.mocked(api.fresh).mockRejectedValueOnce(new Refused(409, work)).mockRejectedValueOnce(new Refused(409, more))
  await orders.give('r', 'fresh')
  orders.doubt?.again()
  await vi.waitFor(() => expect(orders.doubt?.trouble).toEqual(more))
  vi.mocked(api.fresh).mockResolvedValueOnce({ repo: repo('r') })
  orders.doubt?.again()
  await vi.waitFor(() => expect(vi.mocked(api.fresh).mock.calls.map(([, atMost]) => atMost)).toEqual([null, 'turn 1', 'ask 2\nturn 1']))
})
