import type { Reply, Entry, Interrupted, Text, ToolEnd } from '../wire/types'
import { unallowed } from './tools'

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
  /** Whether its agent was ended while it waited for the permission to use it. */
  unallowed: boolean
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
  /** `instead`: the entries of earlier opens after which nothing was said, and which it stands for. */
  | { kind: 'mark'; id: string; at: string | null; text: string; tone: 'calm' | 'failed'; words: string | null; instead: readonly string[] }

const size = (shown: string) => new TextEncoder().encode(shown).length

/** Whether the whole has more than what is shown. */
export const isCut = ({ shown, bytes }: Text) => bytes > size(shown)

/** What separates two parts of one message. */
const BETWEEN = '\n\n'

const joined = (one: Text, other: Text): Text => ({
  shown: `${one.shown}${BETWEEN}${other.shown}`,
  bytes: one.bytes + BETWEEN.length + other.bytes,
})

/**
 * Entries as blocks: a message in parts is one text, and consecutive tools are one fold with their results.
 * `interrupted`: what was cut off after them, if their agent was ended and not opened since.
 */
export function blocks(entries: readonly Entry[], interrupted: readonly Interrupted[] = []): Block[] {
  const made: Block[] = []
  const waiting = new Map<string, Tool>()
  /** A result may still be written behind it. */
  const end = () => {
    for (const tool of waiting.values()) tool.over = true
  }
  const cutOff = (interrupted: readonly Interrupted[]) => {
    const open = [...waiting.values()].filter(({ over }) => !over)
    for (const tool of unallowed(open, interrupted)) tool.unallowed = true
  }
  let message: string | null = null
  /** The last open, if it is told by the next one as well. */
  let opened: Block | null = null
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
        const tool: Tool = { id, name, input, whole, questions, at, result: null, over: false, unallowed: false }
        waiting.set(entry.tool_use, tool)
        if (last?.kind === 'tools') last.tools.push(tool)
        else made.push({ kind: 'tools', id, tools: [tool] })
        break
      }
      case 'tool_result': {
        const { text, note, answers, end } = entry
        const result: Result = { text, note, answers, end }
        const tool = waiting.get(entry.tool_use)
        // That it has none is written by the next agent, ahead of its open.
        if (end !== 'untold') waiting.delete(entry.tool_use)
        results.push(result)
        if (tool) tool.result = result
        // Its use is on a page that isn't loaded.
        else made.push({ kind: 'tools', id, tools: [{ id, name: 'Result', input: '', whole: { shown: '', bytes: 0 }, questions: [], at, result, over: true, unallowed: false }] })
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
      case 'continuity': {
        const { kind, sentence, interrupted } = entry.continuity
        cutOff(interrupted)
        end()
        // What was picked up and left again without a word is told once.
        const left = last?.kind === 'mark' && last === opened && kind === 'resumed' ? last : null
        if (left) made.pop()
        const open = mark(entry, sentence, 'calm', null, left ? [...left.instead, left.id] : [])
        made.push(open)
        opened = kind === 'resumed' && interrupted.length === 0 ? open : null
        break
      }
    }
  }
  cutOff(interrupted)
  return made
}

type Mark = Extract<Block, { kind: 'mark' }>

function mark(entry: Entry, text: string, tone: Mark['tone'], words: string | null = null, instead: readonly string[] = []): Mark {
  return { kind: 'mark', id: entry.id, at: entry.at, text, tone, words, instead }
}
