// @vitest-environment jsdom
import { flushSync, mount, unmount } from 'svelte'
import { expect, it, vi } from 'vitest'
import { repo } from '../../tests/repo'
import Troubles from './Troubles.svelte'

vi.mock('../state/here.svelte', () => ({ here: { go: vi.fn() } }))

it.each([
  ['folder_gone', ['Add it where it is now…', 'Remove…']],
  ['folder_unreadable', []],
] as const)('another place is a way out of %s where it is one', async (code, ways) => {
  const trouble = { code, title: '', message: 'So it is.', hints: [], severity: 'warning' as const, about: null }
  const made = mount(Troubles, { target: document.body, props: { repo: repo('r', { trouble }) } })
  flushSync()
  expect(document.body.textContent).toContain('So it is.')
  expect([...document.querySelectorAll('button')].map((one) => one.textContent.trim())).toEqual([...ways])
  await unmount(made)
})
