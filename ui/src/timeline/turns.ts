import type { Reply, Entry, Text, ToolEnd } from '../wire/types'

export interface Tool {
  /** From its entry, since the agent's own id may occur twice. */
  id: string
  name: string
  /** On one line. */
  input: string
  /** As the engine wrote it. */
  whole: Text
  /** What it asks the user. */
  questions: readonly string[]
  at: string | null
  result: Result | null
  /** Whether it no longer runs, although there is no result: its turn or its process ended. */
  over: boolean
}

export interface Result {
  text: Text
  /** What the engine says of the text. */
  note: string | null
  answers: readonly Reply[]
  end: ToolEnd
}

/** The blocks of a conversation, from top to bottom. */
export type Block =
  | { kind: 'user'; id: string; at: string | null; text: Text; engine: boolean }
  | { kind: 'agent'; id: string; at: string | null; text: Text }
  | { kind: 'tools'; id: string; tools: Tool[] }
  | { kind: 'command'; id: string; text: Text }
  | { kind: 'mark'; id: string; at: string | null; text: string; tone: 'calm' | 'failed'; words: string | null }

const size = (shown: string) => new TextEncoder().encode(shown).length

/** Whether the whole has more than what is shown. */
export const isCut = ({ shown, bytes }: Text) => bytes > size(shown)

/** What separates two parts of one message. */
const BETWEEN = '\n\n'

const joined = (one: Text, other: Text): Text => ({
  shown: `${one.shown}${BETWEEN}${other.shown}`,
  bytes: one.bytes + BETWEEN.length + other.bytes,
})

/** Entries as blocks: a message in parts is one text, and consecutive tools are one fold with their results. */
export function blocks(entries: readonly Entry[]): Block[] {
  const made: Block[] = []
  const waiting = new Map<string, Tool>()
  /** A result may still be written behind it. */
  const end = () => {
    for (const tool of waiting.values()) tool.over = true
  }
  let message: string | null = null
  /** Those that came directly before. */
  let results: Result[] = []
  for (const entry of entries) {
    if (entry.kind !== 'tool_result' && entry.kind !== 'interrupted') results = []
    const last = made.at(-1)
    const { id, at } = entry
    switch (entry.kind) {
      case 'user':
        made.push({ kind: 'user', id, at, text: entry.text, engine: entry.author === 'engine' })
        break
      case 'agent':
        if (last?.kind === 'agent' && entry.message !== null && entry.message === message) {
          last.text = joined(last.text, entry.text)
        } else made.push({ kind: 'agent', id, at, text: entry.text })
        message = entry.message
        break
      case 'tool_use': {
        const { name, input, whole, questions } = entry
        const tool: Tool = { id, name, input, whole, questions, at, result: null, over: false }
        waiting.set(entry.tool_use, tool)
        if (last?.kind === 'tools') last.tools.push(tool)
        else made.push({ kind: 'tools', id, tools: [tool] })
        break
      }
      case 'tool_result': {
        const { text, note, answers, end } = entry
        const result: Result = { text, note, answers, end }
        const tool = waiting.get(entry.tool_use)
        waiting.delete(entry.tool_use)
        results.push(result)
        if (tool) tool.result = result
        // Its use is on a page that isn't loaded.
        else made.push({ kind: 'tools', id, tools: [{ id, name: 'Result', input: '', whole: { shown: '', bytes: 0 }, questions: [], at, result, over: true }] })
        break
      }
      case 'command':
        made.push({ kind: 'command', id, text: entry.text })
        break
      case 'interrupted':
        end()
        // What was refused by the interruption itself wasn't denied by anybody.
        for (const result of results) if (result.end === 'denied') result.end = 'not_run'
        made.push(mark(entry, 'Interrupted', 'calm'))
        break
      case 'failed':
        end()
        made.push(mark(entry, 'The model answered with an error', 'failed', entry.text.shown))
        break
      case 'compacted':
        made.push(mark(entry, 'Compacted: what was said before is a summary from here on', 'calm'))
        break
      case 'continuity':
        end()
        made.push(mark(entry, entry.continuity.sentence, 'calm'))
        break
    }
  }
  return made
}

type Mark = Extract<Block, { kind: 'mark' }>

function mark(entry: Entry, text: string, tone: Mark['tone'], words: string | null = null): Mark {
  return { kind: 'mark', id: entry.id, at: entry.at, text, tone, words }
}
