export type View = 'conversation' | 'terminal'

/** Where a link into the console leads that lets nobody in, and why it doesn't. */
export const BAD_LINKS: ReadonlyMap<string, { title: string; why: string }> = new Map([
  ['#/used', { title: 'This link was used already', why: 'Each works once.' }],
  ['#/expired', { title: 'This link has expired', why: 'Each works for five minutes.' }],
  ['#/unknown-link', { title: 'This Repose doesn’t know that link', why: 'It isn’t whole, or is from before Repose last started.' }],
])

export type Route =
  | { page: 'home' }
  | { page: 'repo'; id: string; view: View }
  | { page: 'add' }
  | { page: 'settings' }
  | { page: 'diagnostics' }

/** The route in a fragment. An invalid one means home. */
export function parse(fragment: string): Route {
  const [page, id, view] = fragment.replace(/^#?\/?/, '').split('/')
  switch (page) {
    case 'repo':
      return repo(id && decoded(id), view)
    case 'add':
    case 'settings':
    case 'diagnostics':
      return { page }
    default:
      return { page: 'home' }
  }
}

function repo(id: string | undefined, view: string | undefined): Route {
  return id ? { page: 'repo', id, view: view === 'terminal' ? view : 'conversation' } : { page: 'home' }
}

/** Decodes a text. Undefined: it is invalid, as addresses are typed, pasted and cut by people. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
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
