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

const goesOn = [
  ['fork', () => orders.give('r', 'fork'), vi.mocked(api.fork)],
  ['continue', () => orders.resumeConversation('r', 'c'), vi.mocked(api.resume)],
  ['copy', () => orders.forkConversation('r', 'c'), vi.mocked(api.fork)],
] as const

it.each(goesOn)('%s where work would be lost is asked about, and then done once that is stopped', async (name, give, order) => {
  const done: string[] = []
  const all = { ...work, message: 'A turn and an ask.', work: 'ask 2\nturn 1' }
  vi.mocked(api.stop).mockRejectedValueOnce(new Refused(409, all)).mockImplementation(async () => (done.push('stop'), { repo: repo('r') }))
  order.mockImplementation(async () => {
    if (!done.includes('stop')) throw new Refused(409, work)
    done.push(name)
    return { repo: repo('r') }
  })
  expect(await give()).toBe(false)
  expect(orders.doubt).toMatchObject({ order: name, trouble: work })
  expect(api.stop).not.toHaveBeenCalled()
  orders.doubt?.again()
  // Stop loses more.
  await vi.waitFor(() => expect(orders.doubt?.trouble).toEqual(all))
  expect(done).toEqual([])
  orders.doubt?.again()
  await vi.waitFor(() => expect(done).toEqual(['stop', name]))
  expect(vi.mocked(api.stop).mock.calls.map(([, atMost]) => atMost)).toEqual([work.work, all.work])
})

it.each(goesOn)('%s stops nothing once what was asked about is over', async (_, give, order) => {
  order.mockReset().mockRejectedValueOnce(new Refused(409, work)).mockResolvedValueOnce({ repo: repo('r') })
  expect(await give()).toBe(false)
  orders.doubt?.again()
  await vi.waitFor(() => expect(order).toHaveBeenCalledTimes(2))
  await vi.waitFor(() => expect(orders.busy('r')).toBeNull())
  expect(api.stop).not.toHaveBeenCalled()
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
