import { afterEach, expect, it, vi } from 'vitest'
import { outdated } from './outdated'

afterEach(() => vi.unstubAllGlobals())

/** A server that takes what a browser sends without an origin only where it is a GET, as ours does. */
function served(there: boolean) {
  const reload = vi.fn()
  const kept = new Map<string, string>()
  vi.stubGlobal('sessionStorage', { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value) })
  vi.stubGlobal('location', { reload })
  vi.stubGlobal('fetch', async (_: string, { method = 'GET' }: RequestInit = {}) => {
    if (!there) throw new TypeError('gone')
    return new Response(null, { status: method === 'GET' ? 200 : 403 })
  })
  return reload
}

it('a page whose pieces have other names by now is loaded anew, once', async () => {
  const reload = served(true)
  await outdated()
  await outdated()
  expect(reload).toHaveBeenCalledTimes(1)
})

it('with the server gone nothing is reloaded', async () => {
  const reload = served(false)
  await outdated()
  expect(reload).not.toHaveBeenCalled()
})
