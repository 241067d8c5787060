// What leaves the page: to the clipboard, to an editor, to a file manager.
import { api } from '../link/api'
import { troubleOf } from '../link/http'
import { copy } from '../parts/copy'
import { orders } from './orders.svelte'
import { toasts } from './toasts.svelte'

/** Shows a repo's folder. A trouble is shown with the repo. */
export async function reveal(repo: string, where: 'editor' | 'files'): Promise<void> {
  try {
    await api.show(repo, where)
  } catch (error) {
    orders.tell(repo, troubleOf(error))
  }
}

/** Puts a text on the clipboard and confirms it. */
export async function copied(what: string, text: string): Promise<void> {
  toasts.say((await copy(text)) ? `The ${what} is on the clipboard.` : `The browser doesn't allow copying. By hand: ${text}`)
}
