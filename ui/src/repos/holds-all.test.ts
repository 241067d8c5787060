import { expect, it } from 'vitest'
import { holdsAll } from './holds-all'

it('what holds nearly everything is asked about before it is added', () => {
  expect(['/', '//', '~', '~/', '/home/me', '/home/me/', '/root'].map((path) => holdsAll(path) !== null)).toEqual(Array(7).fill(true))
  expect(['/srv', '~/code', '/home/me/code', '/root/x'].map(holdsAll)).toEqual(Array(4).fill(null))
})
