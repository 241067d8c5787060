// @vitest-environment jsdom
import { flushSync, mount, tick, unmount } from 'svelte'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { repo } from '../../tests/repo'
import { api } from '../link/api'
import { Refused } from '../link/http'
import type { Choice, Decision as Asked, Repo } from '../wire/types'
import Decision from './Decision.svelte'
import { isCut, options } from './decision'

vi.mock('../link/api', () => ({ api: { answer: vi.fn() } }))
vi.mock('../state/here.svelte', () => ({ here: { go: vi.fn() } }))
vi.mock('../state/app.svelte', () => ({ app: { show: vi.fn(), model: { link: 'live' } } }))

const choice = (id: string, label: string, kind: Choice['kind'] = 'other'): Choice => ({ id, label, description: null, kind })
const asked = (id: string, title: string, ...choices: Choice[]): Asked => ({
  id,
  kind: 'choice',
  title,
  detail: null,
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
  const permission = (detail: string) => ({ ...asked('d', 'May it?', choice('allow', 'Allow', 'allow')), detail })
  const whole = `echo ${'x'.repeat(2_000)}\nlast…`
  waits(permission(whole))
  expect([document.querySelector('pre')?.textContent, document.body.textContent.includes('It goes on')]).toEqual([whole, false])
  const cut = `${'ü'.repeat(16_384)}…`
  waits(permission(cut))
  expect([isCut(cut), document.body.textContent.includes('It goes on')]).toEqual([true, true])
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

it('what is refused stays in the field, with the reason', async () => {
  const why = { code: 'unfit_text', title: '', message: 'Not this.', hints: [], severity: 'notice' as const, about: null }
  vi.mocked(api.answer).mockRejectedValueOnce(new Refused(409, why))
  write('sea green')
  enter()
  await settled(1)
  expect([field()?.value, document.body.textContent.includes('Not this.')]).toEqual(['sea green', true])
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
