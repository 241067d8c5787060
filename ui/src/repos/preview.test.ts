import { expect, it, vi } from 'vitest'
import type { Page } from '../wire/types'
import { plain, preview } from './preview'

const tool = { id: '9.0', at: null, kind: 'tool_use', tool_use: 't', name: 'Bash', input: 'ls' }
const agent = { id: '1.0', at: null, kind: 'agent', message: null, text: { shown: 'So it is.', bytes: 9 } }
const page = (entries: object[], before: number | null) => ({ entries, before, skipped: 0 }) as unknown as Page

it('what was said is found before a long row of tools', async () => {
  const pages = vi.fn((before: number | null) => Promise.resolve(before === null ? page([tool], 500) : page([agent], 100)))
  expect(await preview(pages)).toEqual({ lines: [{ id: '1.0', mine: false, text: 'So it is.' }], more: true })
  expect(pages.mock.calls.map(([before]) => before)).toEqual([null, 500])
})

it('that nothing was said is said only of all of it', async () => {
  expect(await preview(() => Promise.resolve(page([], null)))).toEqual({ lines: [], more: false })
  expect(await preview(() => Promise.resolve(page([tool], 500)))).toEqual({ lines: [], more: true })
})

it('a preview shows words, not their marks', () => {
  expect(plain('## Sorted\n\n- **first** and `ls -l`\n* [the file](https://x.y/z)\n```sh\nmake\n```\n2 * 3 * 4, snake_case_name')).toBe(
    'Sorted\n\n• first and ls -l\n• the file\nmake\n2 * 3 * 4, snake_case_name',
  )
  const names = '`__init__` and __main__, a__b__c, 2**3**4'
  expect(plain(names)).toBe(names.replaceAll('`', ''))
  expect(plain('__so it is__, **and** (**so**)')).toBe('so it is, and (so)')
})

it('a long message is a preview at once', () => {
  const since = performance.now()
  for (const piece of ['[', '**a ', '__a b ', '![a]', '`']) plain(piece.repeat(64_000))
  expect(performance.now() - since).toBeLessThan(500)
})
