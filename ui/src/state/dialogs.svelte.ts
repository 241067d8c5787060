/** What is asked or shown about a repo, over the page. */
export type About = 'fresh' | 'earlier' | 'engine' | 'remove' | 'why'

class Dialogs {
  open = $state.raw<{ repo: string; about: About } | null>(null)

  show(repo: string, about: About): void {
    this.open = { repo, about }
  }

  close(): void {
    this.open = null
  }
}

export const dialogs = new Dialogs()
