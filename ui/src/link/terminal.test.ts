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
    '/api/repos/a%2Fb/terminal?cols=300&rows=24&scrollback=true&open=false',
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

it('comes back after a lost connection, and counts anew', async () => {
  open()
  last().tell(0, [1])
  const old = written[0]
  last().onclose?.()
  await vi.advanceTimersByTimeAsync(300)
  expect(FakeSocket.made).toHaveLength(2)
  old?.()
  vi.advanceTimersByTime(100)
  expect(last().sent).toEqual([])
})

it('says that the terminal is over until another agent is there, and stays away once closed', async () => {
  const link = open()
  last().tell(0, [1])
  last().tell(2, [...new TextEncoder().encode('let go')])
  last().onclose?.()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(FakeSocket.made.length).toBeGreaterThan(1)
  expect(news.at(-1)).toEqual({ type: 'ended', why: 'let go' })
  last().tell(0, [1])
  expect(news.at(-1)).toEqual({ type: 'open' })
  link.close()
  last().onclose?.()
  const made = FakeSocket.made.length
  await vi.advanceTimersByTimeAsync(10_000)
  expect(FakeSocket.made).toHaveLength(made)
})

it('one that is refused says why, once it has asked, and is tried again now and then', async () => {
  const error = { code: 'too_many', title: 'Too many', message: 'Close one.', hints: [], severity: 'notice', about: null }
  const asked = vi.fn(() => Promise.resolve(new Response(JSON.stringify({ error }), { status: 503 })))
  vi.stubGlobal('fetch', asked)
  open()
  // For a moment it may be that all isn't there yet.
  for (let times = 0; times < 3; times++) {
    last().onclose?.()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(news.at(-1)).toEqual({ type: 'connecting' })
  }
  last().onclose?.()
  await vi.advanceTimersByTimeAsync(4_000)
  expect(news.at(-1)).toEqual({ type: 'refused', trouble: error })
  expect(FakeSocket.made).toHaveLength(4)
  await vi.advanceTimersByTimeAsync(1_500)
  expect(FakeSocket.made).toHaveLength(5)
  // Why it is refused stands until it isn't any more.
  expect(news.at(-1)).toMatchObject({ type: 'refused' })
  last().tell(0, [1])
  expect(news.at(-1)).toEqual({ type: 'open' })
})

it('no server, and an agent that is not there, are no refusal', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('gone')))
  open()
  last().onclose?.()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(news.at(-1)).toEqual({ type: 'connecting' })
  expect(FakeSocket.made.length).toBeGreaterThan(1)
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
