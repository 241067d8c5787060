// A long conversation: the lines of one real turn, repeated.
import { randomUUID } from 'node:crypto'
import { appendFileSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** How many turns to write at a time. */
const BATCH = 50

/**
 * Makes the only transcript of a folder at least this many bytes long, with turns `Question N of many`, `Answer N.`.
 */
export function grow(folder, atLeast) {
  const name = readdirSync(folder).find((name) => name.endsWith('.jsonl'))
  const path = join(folder, name)
  const text = readFileSync(path, 'utf8')
  const lines = text.split('\n').filter(Boolean).map((line) => JSON.parse(line))
  const question = lines.findIndex((line) => line.type === 'user' && typeof line.message.content === 'string')
  const answer = lines.findLastIndex((line) => line.type === 'assistant')
  let turns = 0
  let parent = lines[answer].uuid
  while (statSync(path).size < atLeast) {
    const batch = []
    for (let some = 0; some < BATCH; some++) {
      turns += 1
      for (const [place, line] of lines.entries()) {
        const again = line.uuid ? { ...line, uuid: randomUUID(), parentUuid: parent } : line
        if (again.uuid) parent = again.uuid
        if (place === question) again.message = { ...line.message, content: `Question ${turns} of many` }
        if (place === answer) again.message = { ...line.message, id: `msg_${turns}`, content: [{ type: 'text', text: `Answer ${turns}.` }] }
        // The turn's other lines (requests, attachments) make up most of a transcript.
        batch.push(`${JSON.stringify(again)}\n`)
      }
    }
    appendFileSync(path, batch.join(''))
  }
  return { turns, bytes: statSync(path).size }
}
