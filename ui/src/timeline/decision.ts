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

export function options(decision: Decision | null): Options {
  const choices = decision?.choices ?? []
  const of = (kind: Choice['kind']) => choices.find((choice) => choice.kind === kind) ?? null
  const listed = choices.filter(({ kind }) => kind !== 'words' && kind !== 'back')
  return { listed, words: of('words'), back: of('back') }
}

const FENCED = /^(`{3,}|~{3,})[^\n]*\n([^]*?)\n?\1$/

/** A preview without the fence of Markdown around it: it is shown in fixed width anyway. */
export function unfenced(preview: string): string {
  const [, fence, inside] = FENCED.exec(preview.trim()) ?? []
  return fence !== undefined && inside !== undefined && !inside.includes(fence) ? inside : preview
}
