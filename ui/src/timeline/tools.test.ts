import { expect, it } from 'vitest'
import { chosen } from './tools'

const input = JSON.stringify({ questions: [{ question: 'Which?', options: [] }, { question: 'And how many?', options: [] }] })
const tool = (shown: string | null) => ({
  id: 't',
  name: 'AskUserQuestion',
  input,
  at: null,
  result: shown === null ? null : { text: { shown, bytes: shown.length }, failed: false },
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
  expect(chosen({ ...tool(null), input: input.slice(0, 30) })).toBeNull()
})
