// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { TerminalLink, type TerminalNews } from './terminal'

class FakeSocket {
  static OPEN = 1
  static made: FakeSocket[] = []
  readyState = 1
  binaryType = ''
  sent: Uint8Array[] = []
  onmessage: ((event: { data: ArrayBuffer }) => void) | null = null
  onclose: (() => void) | null = null

  constructor(readonly url: URL) {
    FakeSocket.made.push(this)
  }

  send(bytes: Uint8Array) {
    this.sent.push(bytes)
  }

  close() {
    this.readyState = 3
  }

  tell(tag: number, bytes: number[]) {
    this.onmessage?.({ data: Uint8Array.from([tag, ...bytes]).buffer })
  }
}

const written: (() => void)[] = []
const screen = {
  write: (_: Uint8Array, done: () => void) => void written.push(done),
  size: () => ({ cols: 300, rows: 24 }),
}
let news: TerminalNews[] = []
const open = () => {
  const link = new TerminalLink('a/b', screen, (told) => news.push(told))
  link.open()
  return link
}
const last = () => FakeSocket.made.at(-1) as FakeSocket

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', FakeSocket)
  FakeSocket.made = []
  written.length = 0
  news = []
})
afterEach(() => vi.unstubAllGlobals())

it('attaches with its size, and asks for the scrollback', () => {
  open()
  expect(last().url.pathname + last().url.search).toBe(
    '/api/repos/a%2Fb/terminal?cols=300&rows=24&scrollback=true',
  )
  expect(last().url.protocol).toBe('ws:')
})

it('acknowledges what is on the screen, as a sum, and nothing before', () => {
  open()
  last().tell(0, [1, 2, 3])
  last().tell(1, [4, 5])
  vi.advanceTimersByTime(100)
  expect(last().sent).toEqual([])
  for (const done of written) done()
  vi.advanceTimersByTime(100)
  expect(last().sent).toEqual([Uint8Array.from([1, 5, 0, 0, 0, 0, 0, 0, 0])])
})

it('says its size, and what is typed, in pieces', () => {
  const link = open()
  link.resize()
  link.input(new Uint8Array(300 * 1024).fill(65))
  const [size, ...pieces] = last().sent
  expect(size).toEqual(Uint8Array.from([2, 44, 1, 24, 0]))
  expect(pieces.map((piece) => [piece[0], piece.length - 1])).toEqual([
    [0, 256 * 1024],
    [0, 44 * 1024],
  ])
})

it('comes back after a lost connection, and counts anew', () => {
  open()
  last().tell(0, [1])
  const old = written[0]
  last().onclose?.()
  vi.advanceTimersByTime(300)
  expect(FakeSocket.made).toHaveLength(2)
  old?.()
  vi.advanceTimersByTime(100)
  expect(last().sent).toEqual([])
})

it('stays away when the terminal is over, or closed', () => {
  const link = open()
  last().tell(2, [...new TextEncoder().encode('let go')])
  last().onclose?.()
  vi.advanceTimersByTime(10_000)
  expect(FakeSocket.made).toHaveLength(1)
  expect(news.at(-1)).toEqual({ type: 'ended', why: 'let go' })
  link.close()
})

it('tells what was typed from what the terminal says by itself', () => {
  const link = open()
  link.input(Uint8Array.of(97))
  link.report(Uint8Array.of(27, 91, 73))
  expect(last().sent.map((bytes) => [...bytes])).toEqual([
    [0, 97],
    [3, 27, 91, 73],
  ])
})
