// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from 'vitest'
import { api } from '../link/api'
import type { News } from '../link/events'
import { repo } from '../../tests/repo'
import { app } from './app.svelte'
import { toasts } from './toasts.svelte'

const stream = vi.hoisted(() => ({ tell: (_news: unknown): void => undefined }))
vi.mock('../link/events', () => ({
  Events: class {
    constructor(tell: (news: News) => void) {
      stream.tell = tell as (news: unknown) => void
    }
    start() {}
    resync() {}
  },
}))
vi.mock('../link/api', () => ({ api: { paths: () => Promise.resolve(new Set(['/api/settings'])), settings: vi.fn() } }))
vi.mock('./here.svelte', () => ({ here: { repo: null } }))

beforeEach(() => vi.useFakeTimers())

it('what is wrong with the settings is known although the first look at them failed', async () => {
  const trouble = { code: 'settings_invalid', title: '', message: '', hints: [], severity: 'warning', about: null }
  vi.mocked(api.settings).mockRejectedValueOnce(new Error('lost')).mockResolvedValue({ file: '/home/me/.config/repose/settings.toml', trouble } as never)
  app.start()
  stream.tell({ type: 'snapshot', snapshot: { seq: 1, repos: [], totals: app.model.totals } })
  await vi.advanceTimersByTimeAsync(3_000)
  expect([app.settingsTrouble, app.home, vi.mocked(api.settings).mock.calls.length]).toEqual([trouble, '/home/me', 2])
})

it('what happened in a repo is told whole, however long its name', async () => {
  const name = 'a-repo-whose-name-somebody-made-up-from-every-word-of-it'
  stream.tell({ type: 'snapshot', snapshot: { seq: 2, repos: [repo(name)], totals: app.model.totals } })
  stream.tell({ type: 'delta', delta: { kind: 'notice', id: repo(name).id, code: 'answered', sentence: 'The agent has answered.' } })
  expect(toasts.list.map(({ text }) => text)).toEqual(['a-repo-whose-name-somebody-made…: The agent has answered.'])
})
