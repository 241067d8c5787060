import type { Repo, Text } from '../wire/types'
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

/** What a tool does, or how it ended, in a word. Null: it is done. */
export type Standing = 'running' | 'waits for permission' | 'waits for you' | 'not answered' | 'not finished' | 'not run' | 'interrupted' | 'denied' | 'failed'

export function standing(tool: Pick<Tool, 'over' | 'questions' | 'result'>, repo: Pick<Repo, 'live' | 'state' | 'decision'>): Standing | null {
  const asks = tool.questions.length > 0
  if (!tool.result) {
    // One that is opening goes on with what was said, but not with what ran. Whether that ran at all isn't told.
    if (tool.over || !repo.live || repo.state === 'opening') return asks ? 'not answered' : 'not finished'
    if (repo.state !== 'waiting') return 'running'
    return repo.decision?.kind === 'permission' ? 'waits for permission' : 'waits for you'
  }
  const end = tool.result.end
  if (end === 'done') return null
  if (end === 'failed') return 'failed'
  // Nobody denies a question: it was left.
  if (asks) return 'not answered'
  return WORDS[end]
}

const WORDS = { denied: 'denied', interrupted: 'interrupted', not_run: 'not run', untold: 'not finished' } as const satisfies Record<string, Standing>

export interface Chosen {
  question: string
  /** Null: nothing was. */
  answer: string | null
}

/** What a tool asked the user, and what was chosen. Null: it does other things, or all that it asked isn't there. */
export function chosen({ questions, result }: Tool): Chosen[] | null {
  if (questions.length === 0) return null
  return questions.map((question) => ({ question, answer: result?.answers.find((one) => one.question === question)?.answer ?? null }))
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
