/** A picture in a prompt: the engine reads its file, people see it. */
export interface Picture {
  path: string
  /** Where it can be looked at. */
  href: string
}

/** Where Repose keeps them. A folder with a space in its name isn't told from words before it: its paths stay as they are. */
const PATH = /\/(?:[^\s/]+\/)*images\/([0-9a-f-]{36})\/([0-9a-f]{32}\.(?:png|jpg|gif|webp))(?![\w.])/g

const picture = ([path, repo, name]: RegExpMatchArray): Picture => ({ path, href: `/api/repos/${repo}/images/${name}` })

/** A text with its pictures apart from its words, in order. */
export function pieces(text: string): (string | Picture)[] {
  const found: (string | Picture)[] = []
  let from = 0
  for (const match of text.matchAll(PATH)) {
    found.push(text.slice(from, match.index), picture(match))
    from = match.index + match[0].length
  }
  return [...found, text.slice(from)].filter((piece) => piece !== '')
}

/** What stands for the picture of this place in a text that somebody edits. */
export const token = (at: number) => `[image ${at + 1}]`

const TOKEN = /\[image (\d+)\]/g

export interface Folded {
  text: string
  pictures: Picture[]
}

/** A prompt as it is edited: a token for each picture. */
export function fold(prompt: string): Folded {
  const pictures: Picture[] = []
  const words = pieces(prompt).map((piece) => {
    if (typeof piece === 'string') return piece
    const known = pictures.findIndex(({ path }) => path === piece.path)
    if (known >= 0) return token(known)
    pictures.push(piece)
    return token(pictures.length - 1)
  })
  return { text: words.join(''), pictures }
}

/** The same as a prompt again. A token without a picture is words. */
export function unfold({ text, pictures }: Folded): string {
  return text.replace(TOKEN, (word, number: string) => pictures[Number(number) - 1]?.path ?? word)
}

/** Which of the pictures the text still has, by their places. */
export function shown({ text, pictures }: Folded): number[] {
  return pictures.flatMap((_, at) => (text.includes(token(at)) ? [at] : []))
}

/** Without a picture, and without the gap that it would leave. */
export function without(text: string, at: number): string {
  return text.replaceAll(new RegExp(`\\[image ${at + 1}\\] ?`, 'g'), '')
}
