import { expect, it } from 'vitest'
import { args, chosen, output } from './tools'

const input = JSON.stringify({ questions: [{ question: 'Which?', options: [] }, { question: 'And how many?', options: [] }] })
const tool = (shown: string | null) => ({
  id: 't',
  name: 'AskUserQuestion',
  input: '',
  whole: { shown: input, bytes: input.length },
  at: null,
  result: shown === null ? null : { text: { shown, bytes: shown.length }, end: 'done' as const },
})

it('a choice shows as the question and what was chosen', () => {
  const said = 'Your questions have been answered: "Which?"="A", "And how many?"="Two, or "so"". You can now continue with these answers in mind.'
  expect(chosen(tool(said))?.[0]).toEqual({ question: 'Which?', answer: 'A' })
  expect(chosen(tool(null))).toEqual([
    { question: 'Which?', answer: null },
    { question: 'And how many?', answer: null },
  ])
})

it('what is no such tool, or is cut, stays as it is written', () => {
  expect(chosen({ ...tool(null), name: 'Bash' })).toBeNull()
  expect(chosen({ ...tool(null), whole: { shown: input.slice(0, 30), bytes: input.length } })).toBeNull()
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

it('an output that was put into a file says so without marks', () => {
  const kept = '<persisted-output>\nOutput too large (99KB). Full output saved to: /t/x.txt\n\nPreview (first 2KB):\n1\n2\n...\n</persisted-output>'
  expect(output(kept)).toEqual({ note: 'Output too large (99KB). Full output saved to: /t/x.txt', text: '1\n2\n...' })
  expect(output('a <persisted-output> b')).toEqual({ note: null, text: 'a <persisted-output> b' })
})
