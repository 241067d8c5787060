import { expect, it, vi } from 'vitest'
import { api } from '../link/api'
import { HITS_MAX, Talk } from './conversation.svelte'

vi.mock('../link/api', () => ({ api: { page: vi.fn(), find: vi.fn() } }))

type Page = Awaited<ReturnType<typeof api.page>>
const page = (before: number | null) => ({ entries: [], before, skipped: 0 }) as unknown as Page

it('an older page that comes after everything was read anew leaves no hole', async () => {
  const talk = new Talk('r', 'c')
  talk.loaded = { entries: [], before: 100, skipped: 0 }
  let come = (_: Page) => {}
  vi.mocked(api.page).mockReturnValueOnce(new Promise((done) => (come = done)))
  const older = talk.older()
  talk.loaded = { entries: [], before: 900, skipped: 0 }
  come(page(50))
  expect(await older).toBe(false)
  expect(talk.loaded.before).toBe(900)
})

it('who wants a page while one is under way gets that one', async () => {
  const talk = new Talk('r', 'c')
  talk.loaded = { entries: [], before: 100, skipped: 0 }
  vi.mocked(api.page).mockClear().mockResolvedValueOnce(page(50))
  expect(await Promise.all([talk.older(), talk.older()])).toEqual([true, true])
  expect(api.page).toHaveBeenCalledTimes(1)
  expect(talk.loaded.before).toBe(50)
})

it('a place far up is reached page by page, and no further', async () => {
  const talk = new Talk('r', 'c')
  talk.loaded = { entries: [], before: 900, skipped: 0 }
  vi.mocked(api.page).mockResolvedValueOnce(page(600)).mockResolvedValueOnce(page(300))
  const more = vi.fn((limit: number) => talk.older(limit))
  expect(await talk.reach(300, more)).toBe(true)
  expect(more).toHaveBeenCalledTimes(2)
  expect(await talk.reach(400, more)).toBe(true)
  expect(more).toHaveBeenCalledTimes(2)
  vi.mocked(api.page).mockRejectedValueOnce(new Error('gone'))
  expect(await talk.reach(0, more)).toBe(false)
})

it('what is looked for is asked for piece by piece, to the beginning or to as much as anybody steps through', async () => {
  const hits = (count: number) => Array.from({ length: count }, (_, at) => ({ offset: at, times: 1 }))
  const all = async (talk: Talk) => {
    const pieces = []
    for await (const piece of talk.hits('tax', 900, new AbortController().signal)) pieces.push(piece.length)
    return pieces
  }
  const find = vi.mocked(api.find)
  find.mockResolvedValueOnce({ hits: hits(2), before: 500 }).mockResolvedValueOnce({ hits: [], before: null })
  expect(await all(new Talk('r', 'c'))).toEqual([2, 0])
  expect(find.mock.calls.map(([, asked]) => asked.before)).toEqual([900, 500])
  find.mockResolvedValue({ hits: hits(HITS_MAX / 2), before: 7 })
  expect(await all(new Talk('r', 'c'))).toEqual([HITS_MAX / 2, HITS_MAX / 2])
})
