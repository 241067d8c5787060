import { expect, it } from 'vitest'
import type { Decision, Reply, ToolEnd } from '../wire/types'
import { repo } from '../../tests/repo'
import { args, chosen, standing } from './tools'
import type { Tool } from './turns'

const tool = (questions: string[], answers: Reply[] | null): Tool => ({
  id: 't',
  name: 'Ask',
  input: '',
  whole: { shown: '{}', bytes: 2 },
  questions,
  at: null,
  result: answers && { text: { shown: '', bytes: 0 }, note: null, answers, end: 'done' },
  over: false,
  unallowed: false,
})

it('a choice shows as the question and what was chosen', () => {
  const both = ['Which?', 'And how many?']
  expect(chosen(tool(both, [{ question: 'And how many?', answer: 'Two, or "so"' }]))).toEqual([
    { question: 'Which?', answer: null },
    { question: 'And how many?', answer: 'Two, or "so"' },
  ])
  expect(chosen(tool(both, null))?.map(({ answer }) => answer)).toEqual([null, null])
  expect(chosen(tool([], []))).toBeNull()
})

it('arguments stand by their names, with their line breaks, and whatever else is written stays', () => {
  const given = (shown: string) => args({ shown, bytes: shown.length })
  expect(given('{"file_path":"a.rs","new_string":"x\\ny","all":true,"edits":[1]}')).toEqual([
    { name: 'file_path', value: 'a.rs' },
    { name: 'new_string', value: 'x\ny' },
    { name: 'all', value: 'true' },
    { name: 'edits', value: '[\n  1\n]' },
  ])
  expect(given('*** Begin Patch')).toEqual([{ name: null, value: '*** Begin Patch' }])
  expect(given('{"file_path":"a.r')).toEqual([{ name: null, value: '{"file_path":"a.r' }])
  expect(given('[1]')).toEqual([{ name: null, value: '[1]' }])
  expect(given('{}')).toEqual([])
  expect(given('')).toEqual([])
})

it('a tool without a result runs while its agent works, and not once that has ended', () => {
  const decision = (kind: Decision['kind']): Decision => ({ id: 'd', kind, title: '', detail: null, detail_cut: false, title_says_all: false, choices: [] })
  const now = (more: Parameters<typeof repo>[1], over = false, asked: string[] = []) => standing({ ...tool(asked, null), over }, repo('r', more))
  expect(now({ state: 'working' })).toBe('running')
  expect(now({ state: 'waiting', decision: decision('permission') })).toBe('waits for permission')
  expect([now({ state: 'waiting', decision: decision('choice') }), now({ state: 'waiting' })]).toEqual(Array(2).fill('waits for you'))
  for (const state of ['asleep', 'paused', 'opening'] as const) expect(now({ state })).toBe('not finished')
  expect(now({ state: 'working' }, true)).toBe('not finished')
  expect(now({ state: 'working' }, true, ['Which?'])).toBe('not answered')
  expect(standing({ ...tool([], null), over: true, unallowed: true }, repo('r'))).toBe('not run')
})

it('how a tool ended is a word, and a question that was left is not answered', () => {
  const ended = (end: ToolEnd, asked: string[] = [], unallowed = false) => {
    const one = tool(asked, [])
    return standing({ ...one, unallowed, result: one.result && { ...one.result, end } }, repo('r'))
  }
  expect(ended('untold', [], true)).toBe('not run')
  expect((['done', 'failed', 'denied', 'interrupted', 'not_run', 'untold'] as const).map((end) => ended(end))).toEqual([
    null, 'failed', 'denied', 'interrupted', 'not run', 'not finished',
  ])
  expect((['done', 'denied', 'interrupted', 'not_run', 'untold'] as const).map((end) => ended(end, ['Which?']))).toEqual([
    null, 'not answered', 'not answered', 'not answered', 'not answered',
  ])
})
