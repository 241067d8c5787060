// @vitest-environment jsdom
import { flushSync, mount, unmount } from 'svelte'
import { expect, it, vi } from 'vitest'
import { hold, repo } from '../../tests/repo'
import Why from './Why.svelte'

it('two holds that say the same are two', async () => {
  HTMLDialogElement.prototype.showModal = vi.fn()
  HTMLDialogElement.prototype.close = vi.fn()
  const runs = hold('process', { detail: '`npm run dev`, which it left running' })
  const props = { repo: repo('r', { state: 'ready', holds: [runs, { ...runs }] }), close: () => undefined }
  const made = mount(Why, { target: document.body, props })
  flushSync()
  expect(document.querySelectorAll('li')).toHaveLength(2)
  await unmount(made)
})
