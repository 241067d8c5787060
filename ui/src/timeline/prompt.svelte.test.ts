// @vitest-environment jsdom
import { flushSync, mount, unmount } from 'svelte'
import { expect, it, vi } from 'vitest'
import Prompt from './Prompt.svelte'

let link = $state<'live' | 'gone'>('live')
vi.mock('../state/app.svelte', () => ({
  app: {
    can: () => true,
    get model() {
      return { link }
    },
  },
}))

it('a picture that can’t be loaded is told by its path, and tried again once the server is back', async () => {
  const path = `/s/images/019ab3f0-0000-7000-8000-0123456789ab/${'a'.repeat(32)}.png`
  const made = mount(Prompt, { target: document.body, props: { text: `see ${path}` } })
  flushSync()
  document.querySelector('img')?.dispatchEvent(new Event('error'))
  flushSync()
  expect(document.querySelector('img')).toBeNull()
  expect(document.body.textContent).toContain(`${path} (can't be shown)`)
  link = 'gone'
  flushSync()
  expect(document.querySelector('img')).toBeNull()
  link = 'live'
  flushSync()
  expect(document.querySelector('img')).not.toBeNull()
  await unmount(made)
})
