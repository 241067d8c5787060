import { homeOf } from '../parts/words'

/** What to say before a folder is added that holds nearly everything. Null: nothing. */
export function holdsAll(path: string): string | null {
  const folder = path.replace(/(?<=.)\/+$/, '')
  const what = /^\/*$/.test(folder) ? 'the whole machine' : folder === '~' || homeOf(folder) === folder ? 'a whole home folder' : null
  return what && `That is ${what}: its agent would look at, and could change, everything in it.`
}
