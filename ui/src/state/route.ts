export type View = 'conversation' | 'terminal'

export type Route =
  | { page: 'home' }
  | { page: 'repo'; id: string; view: View }
  | { page: 'add' }
  | { page: 'settings' }
  | { page: 'diagnostics' }

/** The route in a fragment. What can't be read is home. */
export function parse(fragment: string): Route {
  const [page, id, view] = fragment.replace(/^#?\/?/, '').split('/')
  switch (page) {
    case 'repo':
      return id ? { page, id: decodeURIComponent(id), view: view === 'terminal' ? view : 'conversation' } : { page: 'home' }
    case 'add':
    case 'settings':
    case 'diagnostics':
      return { page }
    default:
      return { page: 'home' }
  }
}

export function href(route: Route): string {
  switch (route.page) {
    case 'home':
      return '#/'
    case 'repo':
      return `#/repo/${encodeURIComponent(route.id)}${route.view === 'terminal' ? '/terminal' : ''}`
    default:
      return `#/${route.page}`
  }
}
