import { afterEach, expect, it, vi } from 'vitest'
import { Piece, wantMissing } from './piece.svelte'

const outdated = vi.hoisted(() => vi.fn())
vi.mock('./outdated', () => ({ outdated }))
afterEach(() => vi.clearAllMocks())

it('a piece that cannot be loaded says so, and comes once the server answers again', async () => {
  const load = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new TypeError('gone')).mockResolvedValueOnce('here')
  const piece = new Piece(load)
  await piece.want()
  expect([piece.value, piece.failed]).toEqual([null, true])
  // With the server there, its pieces have other names by now: that is looked into.
  expect(outdated).toHaveBeenCalledTimes(1)
  wantMissing()
  await piece.want()
  expect([piece.value, piece.failed]).toEqual(['here', false])
  wantMissing()
  expect(load).toHaveBeenCalledTimes(2)
})

it('who wants a piece that is on its way gets that one', async () => {
  const load = vi.fn(() => Promise.resolve('here'))
  const piece = new Piece(load)
  await Promise.all([piece.want(), piece.want()])
  await piece.want()
  expect(load).toHaveBeenCalledTimes(1)
})
