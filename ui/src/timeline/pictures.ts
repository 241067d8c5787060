/** A picture in a prompt: the engine reads its file, people see it. */
export interface Picture {
  /** As the server named it. It may have spaces. */
  path: string
  /** Where it can be looked at. */
  href: string
}

/** How the path of a kept picture ends: words that go on right behind it make it another file's. */
const END = /\/images\/([0-9a-f-]{36})\/([0-9a-f]{32}\.(?:png|jpg|gif|webp))(?![\w/-]|\.\w)/g

/** No system has longer paths. */
const PATH_MAX = 4_096

/** The picture with this path. Null: it is none that Repose keeps. */
export function pictureAt(path: string): Picture | null {
  const end = [...path.matchAll(END)].at(-1)
  if (!end || end.index + end[0].length !== path.length) return null
  return { path, href: `/api/repos/${end[1]}/images/${end[2]}` }
}

/** A text with its pictures apart from its words, in order. */
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

/**
 * Where the path begins that goes on at `at`: the nearest slash behind white space on the same line. Folders may have
 * spaces in their names, but hardly one before a slash.
 */
function beginning(text: string, at: number, from: number): number | null {
  for (let begin = at; begin >= Math.max(from, at - PATH_MAX); begin--) {
    const before = text[begin - 1] ?? '\n'
    if (text[begin] === '\n') return null
    if (text[begin] === '/' && /\s/.test(before)) return begin
  }
  return null
}

/** What stands for the picture of this place in a text that somebody edits. Nobody types its space, which breaks no line. */
export const token = (at: number) => `[image\u00a0${at + 1}]`

const TOKEN = /\[image\u00a0(\d+)\]/g

export interface Folded {
  text: string
  pictures: Picture[]
}

/** A prompt as it is edited: a token for each picture. */
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

/** The same as a prompt again: each path stands apart from what is typed right beside its token. */
export function unfold({ text, pictures }: Folded): string {
  let [prompt, from] = ['', 0]
  for (const { 0: word, 1: number, index } of text.matchAll(TOKEN)) {
    const path = pictures[Number(number) - 1]?.path
    if (path === undefined) continue
    prompt += text.slice(from, index)
    from = index + word.length
    prompt += `${/(?:^|\s)$/.test(prompt) ? '' : ' '}${path}${ENDS.test(text.slice(from, from + 2)) ? '' : ' '}`
  }
  return prompt + text.slice(from)
}

/** What follows a path and isn't taken for more of it: nothing, white space, or what ends a sentence. */
const ENDS = /^(?:$|\s|[.,:;!?)\]}'"](?!\w))/

/** Which of the pictures the text still has, by their places. */
export function shown({ text, pictures }: Folded): number[] {
  return pictures.flatMap((_, at) => (text.includes(token(at)) ? [at] : []))
}

/** Without a picture, and without the gap that it would leave. */
export function without(text: string, at: number): string {
  return text.replaceAll(`${token(at)} `, '').replaceAll(token(at), '')
}
