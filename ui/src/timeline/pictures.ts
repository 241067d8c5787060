/** A picture in a prompt: the engine reads its file, and people see it. */
export interface Picture {
  /** Its path as given by the server. It may contain spaces. */
  path: string
  /** Its address in the console. */
  href: string
}

/** How the path of a stored picture ends: if text follows directly, it is another file's path. */
const END = /\/images\/([0-9a-f-]{36})\/([0-9a-f]{32}\.(?:png|jpg|gif|webp))(?![\w/-]|\.\w)/g

/** The longest path on any system. */
const PATH_MAX = 4_096

/** The picture with this path. Null: Repose hasn't stored it. */
export function pictureAt(path: string): Picture | null {
  const end = [...path.matchAll(END)].at(-1)
  if (!end || end.index + end[0].length !== path.length) return null
  return { path, href: `/api/repos/${end[1]}/images/${end[2]}` }
}

/** A text, split into pictures and words in order. */
export function pieces(text: string): (string | Picture)[] {
  const found: (string | Picture)[] = []
  let from = 0
  for (const end of text.matchAll(END)) {
    const begin = beginning(text, end.index, from)
    const after = end.index + end[0].length
    const picture = begin === null ? null : pictureAt(text.slice(begin, after))
    if (begin === null || !picture) continue
    found.push(text.slice(from, begin), picture)
    from = after
  }
  return [...found, text.slice(from)].filter((piece) => piece !== '')
}

/** What may stand right before a path: white space, a quote or an opening bracket. */
const BEFORE = /[\s"'`([{<]/

/** What ends the search for a path's beginning, since its folders hardly have it in their names. */
const STOP = /["`<>\n]/

/**
 * Where the path begins that continues at `at`: the nearest slash after white space, a quote or a bracket on the same
 * line. Folder names may contain these, but hardly one before a slash.
 */
function beginning(text: string, at: number, from: number): number | null {
  for (let begin = at; begin >= Math.max(from, at - PATH_MAX); begin--) {
    const before = text[begin - 1] ?? '\n'
    if (STOP.test(text[begin] ?? '')) return null
    if (text[begin] === '/' && BEFORE.test(before)) return begin
  }
  return null
}

/** The token for the picture in this place of an edited text. Nobody types its space, which doesn't break lines. */
export const token = (at: number) => `[image\u00a0${at + 1}]`

const TOKEN = /\[image\u00a0(\d+)\]/g

export interface Folded {
  text: string
  pictures: Picture[]
}

/** A prompt for editing, with a token for each picture. */
export function fold(prompt: string): Folded {
  const pictures: Picture[] = []
  const words = pieces(prompt).map((piece) => {
    if (typeof piece === 'string') return piece.replace(TOKEN, '[image $1]')
    const known = pictures.findIndex(({ path }) => path === piece.path)
    if (known >= 0) return token(known)
    pictures.push(piece)
    return token(pictures.length - 1)
  })
  return { text: words.join(''), pictures }
}

/** The edited text as a prompt again: each path is separated from text right beside its token. */
export function unfold({ text, pictures }: Folded): string {
  let [prompt, from] = ['', 0]
  for (const { 0: word, 1: number, index } of text.matchAll(TOKEN)) {
    const path = pictures[Number(number) - 1]?.path
    if (path === undefined) continue
    prompt += text.slice(from, index)
    from = index + word.length
    prompt += `${prompt === '' || BEFORE.test(prompt.slice(-1)) ? '' : ' '}${path}${ENDS.test(text.slice(from, from + 2)) ? '' : ' '}`
  }
  return prompt + text.slice(from)
}

/** What may follow a path without being part of it: nothing, white space, or the end of a sentence. */
const ENDS = /^(?:$|\s|[.,:;!?)\]}'"](?!\w))/

/** Which of the pictures the text still has, by their places. */
export function shown({ text, pictures }: Folded): number[] {
  return pictures.flatMap((_, at) => (text.includes(token(at)) ? [at] : []))
}

/** Removes a picture, and the gap that it would leave. */
export function without(text: string, at: number): string {
  return text.replaceAll(`${token(at)} `, '').replaceAll(token(at), '')
}
