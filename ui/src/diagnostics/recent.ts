import { bytes } from '../parts/words'
import type { LogEntry } from '../wire/types'

/** What a row of the log says in somebody's words, and not in a sentence of ours. */
const SAID: Record<string, string> = { asked: 'Asked: ', answered: 'Answered: ' }

/** A row of the log in words. `said`: part of it is in somebody's own words, in which no mark means anything. */
export function told({ kind, text, freed_bytes: freed }: LogEntry): { said: boolean; words: string } {
  const said = SAID[kind]
  return { said: said !== undefined, words: `${said ?? ''}${text}${freed === null ? '' : ` Freed ${bytes(freed)}.`}` }
}
