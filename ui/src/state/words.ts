// What somebody writes as their own answer to a question, until it is given: kept across switches and reloads, and the
// same in all tabs.
import { read, watch, write } from './stored'

/** A beginning of an answer, and the question that it is for: it must not become the answer to another one. */
interface Begun {
  question: string
  text: string
}

/** What only this page has, because the storage is full or forbidden. */
const own = new Map<string, Begun>()

function parsed(stored: string | null): Begun | null {
  try {
    const { question, text } = JSON.parse(stored ?? '') as Partial<Begun>
    return typeof question === 'string' && typeof text === 'string' ? { question, text } : null
  } catch {
    return null
  }
}

const of = (begun: Begun | null | undefined, question: string) => (begun?.question === question ? begun.text : '')

/** What was written for this question of a repo. Empty: nothing. */
export const begun = (repo: string, question: string) => of(own.get(repo) ?? parsed(read('words', repo)), question)

/** Stores what is written for a question. An empty text removes it, and leaves what is for another one. */
export function keepBegun(repo: string, question: string, text: string): void {
  if (text === '' && begun(repo, question) === '') return
  const now = { question, text }
  if (write('words', repo, text === '' ? null : JSON.stringify(now)) || text === '') own.delete(repo)
  else own.set(repo, now)
}

/** Reports what other tabs write for a repo's questions. Returns a function that stops that. */
export function watchBegun(repo: string, see: (textOf: (question: string) => string) => void): () => void {
  return watch('words', (where, stored) => {
    if (where !== repo) return
    own.delete(repo)
    see((question) => of(parsed(stored), question))
  })
}
