// @vitest-environment jsdom
import { flushSync, mount, unmount } from 'svelte'
import { expect, it, vi } from 'vitest'
import { repo } from '../../tests/repo'
import { api } from '../link/api'
import Add from './Add.svelte'

const offered = { path: '/home/me', name: 'me', title: null, engine: 'claude', conversation: null, owner: null, added: null }
vi.mock('../link/api', () => ({ api: { add: vi.fn(), engines: () => Promise.resolve([]), folders: () => Promise.resolve({ folders: [offered] }) } }))
vi.mock('../state/here.svelte', () => ({ here: { open: vi.fn() } }))
vi.mock('../state/app.svelte', () => ({ app: { can: () => true, home: null, model: { repos: [] }, show: vi.fn() } }))

it('a folder that holds nearly everything is asked about first, also where it is offered', async () => {
  vi.mocked(api.add).mockResolvedValue({ repo: repo('r'), created: true, moved: null } as never)
  const made = mount(Add, { target: document.body })
  const press = (label: string) => {
    const button = [...document.querySelectorAll('button')].find((one) => (one.getAttribute('aria-label') ?? one.textContent.trim()) === label)
    button?.click()
    flushSync()
    return button !== undefined
  }
  await vi.waitFor(() => expect(press('Add me')).toBe(true))
  expect([vi.mocked(api.add).mock.calls.length, document.body.textContent.includes('a whole home folder')]).toEqual([0, true])
  expect(press('Add it all the same')).toBe(true)
  expect(vi.mocked(api.add).mock.calls).toEqual([['/home/me', '']])
  await unmount(made)
})
