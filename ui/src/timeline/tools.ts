import type { Interrupted, Repo, Text } from '../wire/types'
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

export function standing(
  tool: Pick<Tool, 'over' | 'unallowed' | 'questions' | 'result'>,
  repo: Pick<Repo, 'live' | 'state' | 'decision'>,
): Standing | null {
  const asks = tool.questions.length > 0
  if (!tool.result) {
    // One that is opening goes on with what was said, but not with what ran. Whether that ran at all isn't told.
    if (tool.over || !repo.live || repo.state === 'opening') return asks ? 'not answered' : tool.unallowed ? 'not run' : 'not finished'
    if (repo.state !== 'waiting') return 'running'
    return repo.decision?.kind === 'permission' ? 'waits for permission' : 'waits for you'
  }
  const end = tool.result.end
  if (end === 'done') return null
  if (end === 'failed') return 'failed'
  // Nobody denies a question: it was left.
  if (asks) return 'not answered'
  // The agent that goes on with its conversation knows only that it has no result.
  return end === 'untold' && tool.unallowed ? 'not run' : WORDS[end]
}

/**
 * Which of the tools that have no result were never allowed, if their agent was ended while it waited for a permission:
 * the one that the permission was for. Several may have been started at once.
 */
export function unallowed<T extends Pick<Tool, 'input'>>(tools: readonly T[], interrupted: readonly Interrupted[]): readonly T[] {
  const waited = interrupted.filter(({ permission }) => permission)
  if (waited.length === 0 || tools.length < 2) return waited.length === 0 ? [] : tools
  return tools.filter(({ input }) => input !== '' && waited.some(({ words }) => words.includes(input.slice(0, COMPARED))))
}

/** How many characters of a tool's input the words for its permission have in any case. */
const COMPARED = 60

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
