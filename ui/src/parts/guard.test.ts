// @vitest-environment jsdom
import { createRawSnippet, flushSync, mount, unmount } from 'svelte'
import { expect, it, vi } from 'vitest'
import Guard from './Guard.svelte'

it('what breaks says so in its place, and can be shown again', async () => {
  const said = vi.spyOn(console, 'error').mockReturnValue()
  let broken = true
  const children = createRawSnippet(() => ({
    render: () => {
      if (broken) throw new Error('each_key_duplicate')
      return '<p>All well.</p>'
    },
  }))
  const made = mount(Guard, { target: document.body, props: { what: 'The conversation', children } })
  flushSync()
  expect(document.querySelector('[role=alert]')?.textContent).toContain("The conversation couldn't be shown.")
  expect(said).toHaveBeenCalled()
  broken = false
  document.querySelector('button')?.click()
  flushSync()
  expect(document.body.textContent).toContain('All well.')
  expect(document.querySelector('[role=alert]')).toBeNull()
  await unmount(made)
})
