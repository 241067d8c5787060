import { href, parse, type Route, type View } from './route'

/** The page's location. The fragment is the source, so that reload, back and a second tab work. */
class Here {
  route = $state.raw<Route>(parse(location.hash))
  #views = $state.raw<ReadonlyMap<string, View>>(new Map())

  constructor() {
    addEventListener('hashchange', () => {
      this.route = parse(location.hash)
      const { route } = this
      if (route.page === 'repo') this.#views = new Map(this.#views).set(route.id, route.view)
    })
  }

  get repo(): string | null {
    return this.route.page === 'repo' ? this.route.id : null
  }

  go(route: Route): void {
    location.hash = href(route)
  }

  /** Opens a repo in the view in which it was last seen. */
  open(id: string): void {
    this.go({ page: 'repo', id, view: this.#views.get(id) ?? 'conversation' })
  }

  hrefOf(id: string): string {
    return href({ page: 'repo', id, view: this.#views.get(id) ?? 'conversation' })
  }
}

export const here = new Here()
