import type { Choice, Decision } from '../wire/types'

/** The options of a decision, by what they look like. */
export interface Options {
  /** Those that are picked as they are. */
  listed: readonly Choice[]
  /** The one that takes words of the user's own. Null: only listed ones are taken. */
  words: Choice | null
  /** What takes the last answer back. Null: there is none. */
  back: Choice | null
}

/** The size from which the server cuts a detail, in bytes; it then ends in `…`. */
const DETAIL_MAX = 32 * 1024

/** Whether the server cut the whole of what is asked, so that only the terminal has all of it. */
export const isCut = (detail: string) => detail.endsWith('…') && new TextEncoder().encode(detail).length >= DETAIL_MAX

export function options(decision: Decision | null): Options {
  const choices = decision?.choices ?? []
  const of = (kind: Choice['kind']) => choices.find((choice) => choice.kind === kind) ?? null
  const listed = choices.filter(({ kind }) => kind !== 'words' && kind !== 'back')
  return { listed, words: of('words'), back: of('back') }
}
