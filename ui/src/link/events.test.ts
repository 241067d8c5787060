// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Events, type News } from './events'

let connections: { push: (text: string) => void; end: () => void }[] = []
let answer: 'stream' | 'refused' | 'locked' | 'full' = 'stream'
let news: string[] = []

function fetched(_: string, { signal }: { signal: AbortSignal }): Promise<Response> {
  if (answer === 'refused') return Promise.reject(new TypeError('refused'))
  if (answer === 'locked') return Promise.resolve(new Response('{}', { status: 401 }))
  if (answer === 'full') return Promise.resolve(new Response('{"error":{"code":"too_many","message":"Close one."}}', { status: 503 }))
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const bytes = new TextEncoder()
      connections.push({ push: (text) => controller.enqueue(bytes.encode(text)), end: () => controller.close() })
      signal.addEventListener('abort', () => controller.error(new DOMException('aborted', 'AbortError')))
    },
  })
  return Promise.resolve(new Response(stream))
}

const tell = (told: News) => {
  if (told.type === 'delta') news.push(`delta ${told.delta.seq}`)
  else if (told.type === 'gone' && told.refused) news.push(`refused: ${told.refused.message}`)
  else news.push(told.type)
}
const snapshot = 'event: snapshot\nid: 0\ndata: {"seq":0,"repos":[],"totals":{}}\n\n'
const settle = (ms = 5) => vi.advanceTimersByTimeAsync(ms)

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', fetched)
  connections = []
  news = []
  answer = 'stream'
})
afterEach(() => vi.unstubAllGlobals())

it('tells what comes, and after a lost connection begins again with a snapshot', async () => {
  const events = new Events(tell)
  events.start()
  await settle()
  connections[0]?.push(`${snapshot}event: delta\nid: 1\ndata: {"kind":"totals","seq":1}\n\n: still here\n\n`)
  await settle()
  expect(news).toEqual(['snapshot', 'delta 1'])
  connections[0]?.end()
  await settle(1_000)
  connections[1]?.push(snapshot)
  await settle()
  expect(news).toEqual(['snapshot', 'delta 1', 'gone', 'snapshot'])
})

it('comes back within a second of the server’s return, however long it was gone', async () => {
  answer = 'refused'
  new Events(tell).start()
  await settle(60_000)
  answer = 'stream'
  await settle(1_000)
  expect(connections).toHaveLength(1)
})

it('a new snapshot can be asked for, and that is no loss', async () => {
  const events = new Events(tell)
  events.start()
  await settle()
  connections[0]?.push(snapshot)
  await settle()
  events.resync()
  await settle(1_000)
  expect(connections).toHaveLength(2)
  expect(news).toEqual(['snapshot'])
})

it('without a login it says so, and goes on asking', async () => {
  answer = 'locked'
  new Events(tell).start()
  await settle(3_000)
  expect(new Set(news)).toEqual(new Set(['locked']))
  answer = 'stream'
  await settle(1_000)
  expect(connections).toHaveLength(1)
})

it('a server that answers and has no place says so, and is asked again', async () => {
  answer = 'full'
  new Events(tell).start()
  await settle(3_000)
  expect(new Set(news)).toEqual(new Set(['refused: Close one.']))
  answer = 'stream'
  await settle(1_000)
  expect(connections).toHaveLength(1)
})

it('a silent connection counts as lost', async () => {
  new Events(tell).start()
  await settle()
  connections[0]?.push(snapshot)
  await settle(41_000)
  expect(news).toContain('gone')
})
