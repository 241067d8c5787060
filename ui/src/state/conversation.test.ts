import { expect, it, vi } from 'vitest'
import { api } from '../link/api'
import { HITS_MAX, Talk } from './conversation.svelte'

vi.mock('../link/api', () => ({ api: { page: vi.fn(), find: vi.fn() } }))

type Page = Awaited<ReturnType<typeof api.page>>
const page = (before: number | null) => ({ entries: [], before, skipped: 0 }) as unknown as Page
const loaded = (before: number | null, after: number | null = null) => ({ entries: [], before, after, skipped: 0 })

it('an older page that comes after everything was read anew leaves no hole', async () => {
  const talk = new Talk('r', 'c')
  talk.loaded = loaded(100)
  let come = (_: Page) => {}
  vi.mocked(api.page).mockReturnValueOnce(new Promise((done) => (come = done)))
  const older = talk.older()
  talk.loaded = loaded(900)
  come(page(50))
  expect(await older).toBe(false)
  expect(talk.loaded.before).toBe(900)
})

it('who wants a page while one is under way gets that one', async () => {
  const talk = new Talk('r', 'c')
  talk.loaded = loaded(100)
  vi.mocked(api.page).mockClear().mockResolvedValueOnce(page(50))
  expect(await Promise.all([talk.older(), talk.older()])).toEqual([true, true])
  expect(api.page).toHaveBeenCalledTimes(1)
  expect(talk.loaded.before).toBe(50)
})

it('a place far up is reached page by page, and no further', async () => {
  const talk = new Talk('r', 'c')
  talk.loaded = loaded(900)
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

/** A transcript with lines of 100,000 bytes, paged as by the server. */
function transcript(lines: number) {
  const entries = Array.from({ length: lines }, (_, at) => ({ id: `${at * 100_000}.0`, at: null, kind: 'interrupted' as const }))
  const offset = ({ id }: { id: string }) => Number.parseInt(id)
  vi.mocked(api.page).mockReset().mockImplementation((_, { before, limit }) => {
    const upTo = entries.filter((entry) => before == null || offset(entry) < before)
    const some = upTo.slice(-Math.min(limit ?? 2, 2))
    const first = some[0] ? offset(some[0]) : 0
    return Promise.resolve({ entries: some, before: first > 0 ? first : null, skipped: 0 } as unknown as Page)
  })
  return entries.map(({ id }) => id)
}

it('its beginning is reached at once, and from there on to the end, without a hole', async () => {
  const all = transcript(20)
  const talk = new Talk('r', 'c')
  await talk.refresh()
  const ids = () => talk.loaded?.entries.map(({ id }) => id)
  expect(ids()).toEqual(all.slice(-2))
  expect(await talk.beginning()).toBe(true)
  expect(ids()).toEqual(all.slice(0, 4))
  expect(talk.loaded?.before).toBeNull()
  // What is said meanwhile isn't part of what is in view.
  await talk.refresh()
  expect(ids()).toEqual(all.slice(0, 4))
  expect(await talk.later()).toBe(true)
  expect(ids()).toEqual(all.slice(0, 8))
  while (await talk.later());
  expect(ids()).toEqual(all)
  expect(talk.loaded?.after).toBeNull()
})

it('a place that is very far is gone to without what is in between', async () => {
  const all = transcript(60)
  const talk = new Talk('r', 'c')
  await talk.refresh()
  const more = vi.fn()
  expect(await talk.reach(300_000, more)).toBe(true)
  expect(more).not.toHaveBeenCalled()
  expect(talk.loaded?.entries.map(({ id }) => id)).toEqual(all.slice(3, 7))
  expect(talk.loaded?.after).toBe(700_000)
})

it('the beginning is gone to, also from a page that is under way', async () => {
  const all = transcript(20)
  const talk = new Talk('r', 'c')
  await talk.refresh()
  void talk.older()
  expect(await talk.beginning()).toBe(true)
  expect(talk.loaded?.entries[0]?.id).toBe(all[0])
})

it('from its beginning one goes back to its end', async () => {
  const all = transcript(20)
  const talk = new Talk('r', 'c')
  await talk.refresh()
  await talk.beginning()
  await talk.latest()
  expect(talk.loaded?.entries.map(({ id }) => id)).toEqual(all.slice(-2))
  expect(talk.loaded?.after).toBeNull()
})
