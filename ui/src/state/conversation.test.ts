import { expect, it, vi } from 'vitest'
import { api } from '../link/api'
import { Talk } from './conversation.svelte'

vi.mock('../link/api', () => ({ api: { page: vi.fn() } }))

it('an older page that comes after everything was read anew leaves no hole', async () => {
  type Page = Awaited<ReturnType<typeof api.page>>
  const page = (before: number | null) => ({ entries: [], before, skipped: 0 }) as unknown as Page
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
