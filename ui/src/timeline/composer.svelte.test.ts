// @vitest-environment jsdom
import { flushSync, mount, tick, unmount } from 'svelte'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { repo } from '../../tests/repo'
import { api } from '../link/api'
import { Refused } from '../link/http'
import { draft } from '../state/drafts'
import { images } from '../state/images.svelte'
import { orders } from '../state/orders.svelte'
import Composer from './Composer.svelte'

vi.mock('../link/api', () => ({ api: { ask: vi.fn(), image: vi.fn() } }))
vi.mock('../state/here.svelte', () => ({ here: { repo: 'r' } }))

let made: Record<string, unknown>
let area: HTMLTextAreaElement

beforeEach(() => {
  localStorage.clear()
  vi.stubGlobal('matchMedia', () => ({ matches: false }))
  made = mount(Composer, { target: document.body, props: { repo: repo('r'), sent: () => undefined } })
  flushSync()
  area = document.querySelector('textarea') as HTMLTextAreaElement
  area.focus()
  flushSync()
})

let gone = false
afterEach(() => gone || unmount(made))

/** What somebody types: the text is this, with the caret before its last `behind` characters. */
function type(text: string, behind = 0) {
  area.value = text
  area.setSelectionRange(text.length - behind, text.length - behind)
  area.dispatchEvent(new InputEvent('input', { bubbles: true }))
  flushSync()
}

const composition = (name: 'start' | 'end') => area.dispatchEvent(new CompositionEvent(`composition${name}`, { bubbles: true }))

/** Another tab keeps this, and its news are still on their way. */
const elsewhere = (text: string) => localStorage.setItem('repose.draft.r', text)

async function shows(text: string, behind: number) {
  flushSync()
  await tick()
  expect([area.value, area.value.length - area.selectionStart]).toEqual([text, behind])
}

it('what another tab typed comes before what is typed here, and the caret stays where it is', async () => {
  type('one three', 5)
  elsewhere('theirs')
  type('one two three', 6)
  await shows('theirs\none two three', 6)
})

it('while keys become one character nothing else touches the text', async () => {
  type('ni')
  composition('start')
  elsewhere('theirs')
  vi.mocked(api.image).mockResolvedValueOnce({ path: '/kept.png' })
  await images.save('r', [new File([], 'a.png')])
  type('nih')
  await shows('nih', 0)
  composition('end')
  await shows('theirs\nnih /kept.png ', 0)
})

it('what is refused while keys become one character comes back once they have', async () => {
  let refuse: (why: Refused) => void = () => undefined
  vi.mocked(api.ask).mockReturnValueOnce(new Promise((_, reject) => (refuse = reject)))
  type('asked')
  area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
  await shows('', 0)
  composition('start')
  type('ni')
  refuse(new Refused(409, { code: 'queue_full', title: '', message: 'Too many.', hints: [], severity: 'warning', about: null }))
  await vi.waitFor(() => expect(document.body.textContent).toContain('Too many.'))
  await shows('ni', 0)
  composition('end')
  await shows('asked\nni', 0)
})

it('what is refused once somebody has gone elsewhere, or before it could be put back, is a draft', async () => {
  const refuse: ((why: Refused) => void)[] = []
  vi.mocked(api.ask).mockImplementation(() => new Promise((_, reject) => refuse.push(reject)))
  for (const text of ['one', 'two', 'three']) {
    type(text)
    area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
  }
  type('next')
  composition('start')
  const full = () => new Refused(409, { code: 'queue_full', title: '', message: 'Too many.', hints: [], severity: 'warning', about: null })
  for (const at of [0, 1]) refuse[at]?.(full())
  await vi.waitFor(() => expect(document.body.textContent).toContain('Too many.'))
  flushSync()
  await unmount(made)
  gone = true
  expect(draft('r')).toBe('one\ntwo\nnext')
  refuse[2]?.(full())
  await vi.waitFor(() => expect(draft('r')).toBe('three\none\ntwo\nnext'))
  expect(orders.trouble('r')?.code).toBe('queue_full')
})
