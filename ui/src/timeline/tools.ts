import type { Text } from '../wire/types'
import type { Tool } from './turns'

/** `Read ×3, Bash ×2`: the tools, most used first. */
export function summary(tools: readonly Tool[]): string {
  const counts = new Map<string, number>()
  for (const tool of tools) counts.set(tool.name, (counts.get(tool.name) ?? 0) + 1)
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([name, times]) => (times > 1 ? `${name} ×${times}` : name))
    .join(', ')
}

export interface Chosen {
  question: string
  /** Null: it wasn't chosen, or the choice is unknown. */
  answer: string | null
}

/** Claude Code's tool that asks questions with options. */
const ASKS = 'AskUserQuestion'

/** What such a tool asked and what was chosen. Null: it is another tool, or its input was cut. */
export function chosen({ name, whole, result }: Tool): Chosen[] | null {
  if (name !== ASKS) return null
  const questions = asked(whole.shown)
  const said = result?.end === 'done' ? result.text.shown : ''
  return questions && questions.map((question) => ({ question, answer: answerTo(question, said) }))
}

function asked(input: string): string[] | null {
  try {
    const { questions } = JSON.parse(input) as { questions: { question: string }[] }
    const texts = questions.map(({ question }) => question)
    return texts.length > 0 && texts.every((text) => typeof text === 'string') ? texts : null
  } catch {
    return null
  }
}

/** One argument of a tool, for people. Without a name: its whole input. */
export interface Argument {
  name: string | null
  value: string
}

/** A tool's input: each argument by its name, or as written if they can't be separated. */
export function args({ shown }: Text): Argument[] {
  try {
    const named: unknown = JSON.parse(shown)
    if (typeof named === 'object' && named !== null && !Array.isArray(named)) {
      return Object.entries(named).map(([name, value]) => ({
        name,
        value: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
      }))
    }
  } catch {
    // A text, or cut.
  }
  return shown === '' ? [] : [{ name: null, value: shown }]
}

/** Claude Code 2.1.332 writes each as `"question"="answer"`. */
function answerTo(question: string, said: string): string | null {
  const mark = `"${question}"="`
  const from = said.indexOf(mark)
  if (from < 0) return null
  const rest = said.slice(from + mark.length)
  const end = /"(?=[,.]|\s|$)/.exec(rest)
  return end ? rest.slice(0, end.index) : null
}

export interface Output {
  /** What Claude Code says about an output that it put into a file. Null: the output is complete. */
  note: string | null
  text: string
}

const PERSISTED = /^\s*<persisted-output>\s*(.*)\n([^]*?)\s*(?:<\/persisted-output>\s*)?$/

/** A tool's output, for people. */
export function output(shown: string): Output {
  const [, note, rest = ''] = PERSISTED.exec(shown) ?? []
  return note === undefined ? { note: null, text: shown } : { note, text: rest.replace(/^\s*Preview[^\n]*\n/, '') }
}
