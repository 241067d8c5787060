import { expect, it } from 'vitest'
import { href, parse } from './route'

it.each([
  ['', { page: 'home' }],
  ['#/', { page: 'home' }],
  ['#/nonsense', { page: 'home' }],
  ['#/repo/', { page: 'home' }],
  ['#/repo/%', { page: 'home' }],
  ['#/repo/%E0%A4%A/terminal', { page: 'home' }],
  ['#/repo/a%2Fb', { page: 'repo', id: 'a/b', view: 'conversation' }],
  ['#/repo/x/terminal', { page: 'repo', id: 'x', view: 'terminal' }],
  ['#/settings', { page: 'settings' }],
])('%s', (fragment, route) => expect(parse(fragment)).toEqual(route))

it('goes there and back', () => {
  const route = { page: 'repo', id: 'ä/b c', view: 'terminal' } as const
  expect(parse(href(route))).toEqual(route)
})
