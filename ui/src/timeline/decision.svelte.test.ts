// @vitest-environment jsdom
import { flushSync, mount, tick, unmount } from 'svelte'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { repo } from '../../tests/repo'
import { api } from '../link/api'
import { Refused } from '../link/http'
import type { Choice, Decision as Asked, Repo } from '../wire/types'
import Decision from './Decision.svelte'
import { toasts } from '../state/toasts.svelte'
import { begun } from '../state/words'
import { options, unfenced } from './decision'

vi.mock('../link/api', () => ({ api: { answer: vi.fn() } }))
vi.mock('../state/here.svelte', () => ({ here: { go: vi.fn() } }))
vi.mock('../state/app.svelte', () => ({ app: { show: vi.fn(), model: { link: 'live' } } }))

const choice = (id: string, label: string, kind: Choice['kind'] = 'other'): Choice => ({ id, label, description: null, preview: null, kind })
const asked = (id: string, title: string, ...choices: Choice[]): Asked => ({
  id,
  kind: 'choice',
  title,
  detail: null,
  detail_cut: false,
  title_says_all: false,
  choices,
})
const OWN = choice('words', 'Something else', 'words')
const BACK = choice('back', 'Back to the previous question', 'back')

const props = $state<{ repo: Repo }>({ repo: repo('r') })
let made: Record<string, unknown>

function waits(decision: Asked) {
  props.repo = repo('r', { state: 'waiting', decision })
  flushSync()
}

/** Until a card that took another's place takes answers. */
function later() {
  vi.advanceTimersByTime(500)
  flushSync()
}

beforeEach(() => {
  localStorage.clear()
  vi.useFakeTimers()
  vi.stubGlobal('ResizeObserver', class { observe() {} disconnect() {} })
  vi.mocked(api.answer).mockReset().mockImplementation(() => Promise.resolve({ repo: props.repo }))
  waits(asked('d1', 'Which colour? (1 of 2)', choice('0', 'Red'), choice('1', 'Blue'), OWN))
  made = mount(Decision, { target: document.body, props })
  flushSync()
  later()
})

afterEach(async () => {
  await unmount(made)
  vi.useRealTimers()
})

const field = () => document.querySelector('textarea')
const buttons = () => [...document.querySelectorAll('button')].map((one) => one.getAttribute('aria-label') ?? one.textContent.trim())

function write(text: string) {
  const area = field() as HTMLTextAreaElement
  area.value = text
  area.dispatchEvent(new InputEvent('input', { bubbles: true }))
  flushSync()
}

const enter = (more = {}) => field()?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, ...more }))

const settled = async (answers: number) => {
  await vi.waitFor(() => expect(api.answer).toHaveBeenCalledTimes(answers))
  await vi.waitFor(() => expect(document.querySelector('[aria-busy]')).toBeNull())
  flushSync()
}

it('a permission takes no words, and nothing before it can be taken back', () => {
  const [allow, deny] = [choice('allow', 'Allow', 'allow'), choice('deny', 'Deny', 'deny')]
  const permission = asked('d', 'May it?', allow, deny)
  expect(options(permission)).toEqual({ listed: [allow, deny], words: null, back: null })
  expect(options(null)).toEqual({ listed: [], words: null, back: null })
  waits(permission)
  expect(field()).toBeNull()
  expect(buttons()).toEqual(['Allow', 'Deny', 'Answer in the terminal'])
})

it('a command that is too long for the page says so beside its buttons', () => {
  const permission = (more: Partial<Asked>) => ({ ...asked('d', 'May it?', choice('allow', 'Allow', 'allow')), ...more })
  waits(permission({ detail: 'echo\nlast…' }))
  expect([document.querySelector('pre')?.textContent, document.body.textContent.includes('It goes on')]).toEqual(['echo\nlast…', false])
  waits(permission({ detail: 'echo\nlast…', detail_cut: true }))
  expect(document.body.textContent.includes('It goes on')).toBe(true)
})

it('what is shown of an option is that of the one that somebody looks at, and of the first before that', () => {
  const previewed = (id: string, label: string, preview: string | null) => ({ ...choice(id, label), preview })
  const options = [previewed('0', 'Rows', '```text\n+--+\n```'), previewed('1', 'None', null), previewed('2', 'Grid', '+-+-+')]
  waits(asked('d', 'Which layout?', ...options))
  const shown = () => document.querySelector('pre:not(.hidden)')?.textContent
  const button = (label: string) => [...document.querySelectorAll<HTMLElement>('section button')].find((one) => one.textContent.includes(label))
  const look = (label: string, type: string) => {
    button(label)?.dispatchEvent(new Event(type))
    flushSync()
  }
  expect([shown(), document.querySelectorAll('pre').length]).toEqual(['+--+', 2])
  look('Grid', 'pointerenter')
  expect(shown()).toBe('+-+-+')
  look('None', 'pointerenter')
  expect(shown()).toBe('+-+-+')
  // Where nothing can be hovered.
  document.querySelector<HTMLElement>('[aria-pressed=false]')?.click()
  flushSync()
  expect([shown(), vi.mocked(api.answer).mock.calls.length]).toEqual(['+--+', 0])
  waits(asked('d2', 'And then?', previewed('0', 'This', 'one'), previewed('2', 'That', 'two')))
  expect(shown()).toBe('one')
})

it('only a fence around all of a preview is left out', () => {
  expect(['```ts\na\nb\n```', '~~~\na\n~~~\n', ' a ', '```\na\n```\nand\n```\nb\n```'].map(unfenced)).toEqual([
    'a\nb', 'a', ' a ', '```\na\n```\nand\n```\nb\n```',
  ])
})

it('what the agent says about an option stands under it', async () => {
  const red = { ...choice('0', 'Red'), description: 'As it is now.' }
  waits(asked('d', 'Which colour?', red, choice('1', 'Blue'), OWN))
  later()
  const [first, second] = document.querySelectorAll('button')
  expect([first?.querySelector('small')?.textContent, second?.querySelector('small')]).toEqual(['As it is now.', null])
  first?.click()
  await settled(1)
  expect(api.answer).toHaveBeenLastCalledWith('r', 'd', '0', null)
})

it('the next question has buttons of its own, and whoever was at one is at the question', async () => {
  waits(asked('d1', 'Which colour?', choice('0', 'Red'), choice('1', 'Blue')))
  const red = document.querySelector('button')
  red?.focus()
  waits(asked('d2', 'How many?', choice('0', 'One'), choice('1', 'Two')))
  await tick()
  expect([red?.isConnected, document.activeElement?.getAttribute('aria-label')]).toEqual([false, 'The agent waits for you'])
})

it('a question is answered in words of somebody’s own with Enter, and Shift+Enter is a line of them', async () => {
  expect(buttons()).toEqual(['Red', 'Blue', 'Answer (Enter)', 'Answer in the terminal'])
  write('  ')
  enter()
  write('sea green,\nor so ')
  enter({ shiftKey: true })
  expect(api.answer).not.toHaveBeenCalled()
  enter()
  await settled(1)
  expect(api.answer).toHaveBeenLastCalledWith('r', 'd1', 'words', 'sea green,\nor so')
  expect(field()?.value).toBe('')
})

it('what is begun stays over a reload, for its question, and is gone once it is said', async () => {
  write('sea green')
  await unmount(made)
  made = mount(Decision, { target: document.body, props })
  flushSync()
  expect(field()?.value).toBe('sea green')
  waits(asked('d2', 'How many? (2 of 2)', choice('0', 'One'), OWN))
  expect(field()?.value).toBe('')
  waits(asked('d3', 'Which colour? (1 of 2)', choice('0', 'Red'), OWN))
  expect(field()?.value).toBe('sea green')
  enter()
  await settled(1)
  expect([field()?.value, begun('r', 'Which colour? (1 of 2)')]).toEqual(['', ''])
})

it('what another tab begins shows here, unless somebody types here', () => {
  const elsewhere = (text: string) => {
    const [key, newValue] = ['repose.words.r', JSON.stringify({ question: 'Which colour? (1 of 2)', text })]
    localStorage.setItem(key, newValue)
    dispatchEvent(new StorageEvent('storage', { key, newValue }))
    flushSync()
  }
  elsewhere('sea')
  expect(field()?.value).toBe('sea')
  vi.spyOn(document, 'hasFocus').mockReturnValue(true)
  field()?.focus()
  elsewhere('sea green')
  expect(field()?.value).toBe('sea')
})

it('what is refused stays in the field, with the reason', async () => {
  const why = { code: 'unfit_text', title: '', message: 'Not this.', hints: [], severity: 'notice' as const, about: null }
  vi.mocked(api.answer).mockRejectedValueOnce(new Refused(409, why))
  write('sea green')
  enter()
  await settled(1)
  expect([field()?.value, document.body.textContent.includes('Not this.')]).toEqual(['sea green', true])
})

it('what is wrong with the answer to one question is never told under the next', async () => {
  const why = (message: string) => ({ code: 'decision_over', title: '', message, hints: [], severity: 'notice' as const, about: null })
  const said = vi.spyOn(toasts, 'say').mockReturnValue(undefined)
  vi.mocked(api.answer).mockRejectedValueOnce(new Refused(409, why('Not this.')))
  write('sea green')
  enter()
  await settled(1)
  waits(asked('d2', 'How many? (2 of 2)', choice('0', 'One'), OWN))
  later()
  expect(document.body.textContent).not.toContain('Not this.')
  // It was answered elsewhere while an answer was on its way.
  let refuse = (_: Refused) => {}
  vi.mocked(api.answer).mockReturnValueOnce(new Promise((_, no) => (refuse = no)))
  write('a dozen')
  enter()
  waits(asked('d4', 'Which size?', choice('0', 'Small'), OWN))
  refuse(new Refused(409, why('It is over.')))
  await vi.waitFor(() => expect(said).toHaveBeenCalledWith('It is over.', 'r'))
  flushSync()
  expect(document.body.textContent).not.toContain('It is over.')
})

it('the answer before is taken back, and words for one question never answer another', async () => {
  write('for the first')
  waits(asked('d2', 'How many? (2 of 2)', choice('0', 'One'), OWN, BACK))
  expect(field()?.value).toBe('')
  write('a dozen')
  // Another part of the same answer was picked elsewhere.
  waits(asked('d3', 'How many? (2 of 2)', OWN, choice('all', 'That is all: One'), BACK))
  expect(field()?.value).toBe('a dozen')
  later()
  const back = [...document.querySelectorAll('button')].find((one) => one.textContent.includes(BACK.label))
  back?.click()
  await settled(1)
  expect(api.answer).toHaveBeenLastCalledWith('r', 'd3', 'back', null)
})

it('the next question is answered before the answer to the one before has arrived', async () => {
  vi.mocked(api.answer).mockReturnValue(new Promise(() => undefined))
  const press = (label: string) => [...document.querySelectorAll('button')].find((one) => one.textContent.includes(label))?.click()
  press('Blue')
  press('Red')
  flushSync()
  expect(api.answer).toHaveBeenCalledTimes(1)
  waits(asked('d2', 'How many? (2 of 2)', choice('0', 'One'), OWN, BACK))
  later()
  press('One')
  expect(api.answer).toHaveBeenLastCalledWith('r', 'd2', '0', null)
})

it('a card that takes the place of another takes no press that may have been meant for that one', async () => {
  const press = () => document.querySelector<HTMLButtonElement>('button')?.click()
  const permission = (id: string) => ({ ...asked(id, 'It wants to run a command.', choice('allow', 'Allow', 'allow')) })
  waits(permission('d2'))
  expect(document.querySelector('button')?.getAttribute('aria-disabled')).toBe('true')
  press()
  // The same card, told anew.
  waits(permission('d2'))
  press()
  // Between two of them there is no card for a moment.
  await unmount(made)
  vi.advanceTimersByTime(100)
  waits(permission('d3'))
  made = mount(Decision, { target: document.body, props })
  flushSync()
  press()
  vi.advanceTimersByTime(499)
  press()
  expect(api.answer).not.toHaveBeenCalled()
  later()
  press()
  expect(api.answer).toHaveBeenLastCalledWith('r', 'd3', 'allow', null)
})

it('Esc in one’s own words leaves the field, and what is written there', () => {
  write('sea green')
  const outer = vi.fn()
  window.addEventListener('keydown', outer, { once: true })
  field()?.focus()
  field()?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
  expect([outer.mock.calls.length, field()?.value, document.activeElement === field()]).toEqual([0, 'sea green', false])
})
