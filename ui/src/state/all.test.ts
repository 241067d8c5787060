import { expect, it, vi } from 'vitest'
import { repo } from '../../tests/repo'
import { api } from '../link/api'
import { Refused } from '../link/http'
import { all } from './all.svelte'

vi.mock('../link/api', () => ({ api: { pause: vi.fn(), pauseAll: vi.fn() } }))
vi.mock('./app.svelte', () => ({ app: { show: vi.fn(), repo: () => null, quietly: (_: string, order: () => unknown) => order() } }))

const trouble = (code: string, work?: string) => ({ code, title: '', message: '', hints: [], severity: 'warning' as const, about: null, ...(work && { work }) })
const refused = (id: string, code: string, work?: string) => ({ repo: repo(id), freed_bytes: null, error: trouble(code, work) })

it('of what Pause all left, each is paused with the work that was named there, and other work is asked about again', async () => {
  const named = [refused('a', 'work_would_be_lost', 'turn 1'), refused('b', 'work_would_be_lost', 'turn 2'), refused('c', 'work_would_be_lost', 'turn 3'), refused('d', 'not_resumable')]
  vi.mocked(api.pauseAll).mockResolvedValueOnce({ results: named, freed_bytes: 0 })
  await all.pause()
  const now = trouble('work_would_be_lost', 'turn 9')
  vi.mocked(api.pause).mockImplementation(async (id) => {
    if (id === 'b') throw new Refused(409, now)
    if (id === 'c') throw new Refused(409, trouble('nothing_to_pause'))
    return { repo: repo(id), freed_bytes: 7, measured: 'pss', took_ms: 1 }
  })
  await all.pauseAnyway()
  expect(vi.mocked(api.pause).mock.calls).toEqual([['a', 'turn 1'], ['b', 'turn 2'], ['c', 'turn 3']])
  expect(all.refused.map(({ repo, error }) => [repo.id, error?.code, error?.work])).toEqual([
    ['d', 'not_resumable', undefined],
    ['b', 'work_would_be_lost', 'turn 9'],
  ])
})
