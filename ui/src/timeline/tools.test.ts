import { expect, it } from 'vitest'
import type { Reply } from '../wire/types'
import { args, chosen } from './tools'
import type { Tool } from './turns'

const tool = (questions: string[], answers: Reply[] | null): Tool => ({
  id: 't',
  name: 'Ask',
  input: '',
  whole: { shown: '{}', bytes: 2 },
  questions,
  at: null,
  result: answers && { text: { shown: '', bytes: 0 }, note: null, answers, end: 'done' },
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
