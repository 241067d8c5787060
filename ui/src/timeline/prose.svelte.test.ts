// @vitest-environment jsdom
import { flushSync, mount, unmount } from 'svelte'
import { expect, it, vi } from 'vitest'
import Prose from './Prose.svelte'

const render = vi.hoisted(() => vi.fn((text: string) => `<p>${text}</p>`))
vi.mock('../link/piece.svelte', () => ({
  Piece: class {
    value = { render, highlight: vi.fn() }
    want = vi.fn()
  },
}))

it('what says the same is not read again when the conversation grows', async () => {
  let block = $state.raw({ text: 'One.' })
  const props = {
    get text() {
      return block.text
    },
  }
  const made = mount(Prose, { target: document.body, props })
  flushSync()
  const times = render.mock.calls.length
  block = { text: 'One.' }
  flushSync()
  expect(render).toHaveBeenCalledTimes(times)
  block = { text: 'Two.' }
  flushSync()
  expect(render).toHaveBeenCalledTimes(times + 1)
  expect(document.querySelector('.prose p')?.textContent).toBe('Two.')
  await unmount(made)
})
