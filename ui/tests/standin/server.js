// A server that answers as Repose does, for looking at the page and for driving it without engines. Run:
// `node tests/standin/server.js [PORT] [empty|many|locked]`. Prints the port.
import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import { WebSocketServer } from 'ws'
import { checks, conversation, folders, log, repos, sessions, settings } from './world.js'

const dist = new URL('../../dist/', import.meta.url)
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' }
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const PATHS = [
  ...['answer', 'asks/{ask}', 'conversations', 'fork', 'images', 'show', 'log'].map((verb) => `/api/repos/{id}/${verb}`),
  ...['folders', 'settings', 'diagnostics', 'doctor'].map((name) => `/api/${name}`),
]

export function standin(kind = 'full') {
  const state = {
    repos: kind === 'empty' ? [] : repos(),
    talks: new Map(),
    readers: new Set(),
    seqs: new Map(),
    settings: structuredClone(settings),
    requests: [],
    locked: kind === 'locked',
  }
  if (kind === 'many') {
    const [first] = state.repos
    for (let at = 0; at < 1000; at++) {
      state.repos.push({ ...first, id: `m${at}`, name: `project-${at}`, path: `/home/ada/many/project-${at}`, state: at % 9 ? 'asleep' : 'ready', memory: at % 9 ? null : first.memory, holds: [] })
    }
  }
  const find = (id) => state.repos.find((repo) => repo.id === id)
  const totals = () => ({
    live: state.repos.filter((repo) => ['ready', 'working', 'waiting', 'opening'].includes(repo.state)).length,
    paused: state.repos.filter((repo) => repo.state === 'paused').length,
    live_bytes: state.repos.reduce((sum, repo) => sum + (repo.memory?.bytes ?? 0), 0),
    freed_bytes: state.repos.reduce((sum, repo) => sum + (repo.freed_bytes ?? 0), 0),
  })
  const tell = (delta) => {
    for (const response of state.readers) {
      const seq = state.seqs.get(response) + 1
      state.seqs.set(response, seq)
      response.write(`event: delta\nid: ${seq}\ndata: ${JSON.stringify({ seq, ...delta })}\n\n`)
    }
  }
  const change = (id, patch) => {
    const repo = Object.assign(find(id), patch)
    tell({ kind: 'repo', repo })
    tell({ kind: 'totals', totals: totals() })
    return repo
  }
  const entries = (id) => {
    if (!state.talks.has(id)) state.talks.set(id, conversation(find(id)?.conversation ? (id === 'r1' ? 80 : 5) : 0))
    return state.talks.get(id)
  }
  const say = (id, entry) => {
    const list = entries(id)
    const last = Number((list.at(-1)?.id ?? '0.0').split('.')[0])
    list.push({ id: `${last + 500}.0`, at: new Date().toISOString(), ...entry })
  }

  const verbs = {
    ensure: (id) => ({ repo: change(id, { state: 'ready', memory: { bytes: 240e6, processes: 4, measured: 'pss' } }) }),
    pause(id) {
      const repo = find(id)
      const work = repo.holds.filter((hold) => hold.kind !== 'client')
      if (work.length > 0 && !this.body?.interrupt) {
        return [409, { error: { code: 'work_would_be_lost', title: 'Work would be lost', message: `Pausing ${repo.name} now would lose work. Nothing was changed.`, hints: ['Wait, or interrupt it.'], severity: 'warning' } }]
      }
      const freed = repo.memory?.bytes ?? 0
      return { freed_bytes: freed, measured: 'pss', took_ms: 240, repo: change(id, { state: 'paused', memory: null, freed_bytes: freed, holds: [] }) }
    },
    resume: (id) => ({ repo: change(id, { state: 'ready', freed_bytes: null, memory: { bytes: 251e6, processes: 5, measured: 'pss' } }) }),
    stop: (id) => ({ repo: change(id, { state: 'asleep', memory: null, holds: [] }) }),
    fresh: (id) => ({ repo: change(id, { state: 'ready', conversation: null }) }),
    interrupt(id) {
      say(id, { kind: 'interrupted' })
      return { repo: change(id, { state: 'ready', holds: [] }) }
    },
    pin: (id) => ({ repo: change(id, { pinned: true }) }),
    unpin: (id) => ({ repo: change(id, { pinned: false }) }),
    answer: (id) => ({ repo: change(id, { state: 'working', decision: null, holds: [] }) }),
    images: () => ({ path: '/home/ada/.local/state/repose/images/shot-1.png' }),
    show: () => null,
    ask(id) {
      const { text } = this.body
      if (text.includes('refuse')) return [409, { error: { code: 'unfit_text', title: "Text can't be sent", message: 'The text holds a control character; nothing was asked.', hints: ['Take it out.'], severity: 'notice' } }]
      const cold = find(id).memory === null
      const take = () => {
        say(id, { kind: 'user', author: 'person', text: { shown: text, bytes: text.length } })
        change(id, { state: 'working', holds: [{ kind: 'turn', since: new Date().toISOString(), detail: 'a turn in progress' }], memory: { bytes: 260e6, processes: 5, measured: 'pss' } })
        setTimeout(() => {
          say(id, { kind: 'agent', message: 'now', text: { shown: `You asked: **${text}**`, bytes: 10 } })
          change(id, { state: 'ready', holds: [], conversation: { ...find(id).conversation, last_activity: new Date().toISOString() } })
        }, 1_500)
      }
      if (cold) change(id, { state: 'opening' })
      setTimeout(take, cold ? 2_500 : 300)
      return [202, { answer: null, continuity: null, ask: `a${Date.now()}`, waits_for_resume: false, repo: find(id) }]
    },
  }

  async function body(request) {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    return request.headers['content-type']?.includes('json') && bytes.length > 0 ? JSON.parse(bytes) : bytes
  }

  function events(request, response) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
    state.readers.add(response)
    state.seqs.set(response, 0)
    response.write(`event: snapshot\nid: 0\ndata: ${JSON.stringify({ seq: 0, repos: state.repos, totals: totals() })}\n\n`)
    request.on('close', () => state.readers.delete(response))
  }

  async function api(request, url) {
    const [, , area, id, verb] = url.pathname.split('/')
    const given = await body(request)
    state.requests.push({ method: request.method, path: url.pathname, body: given })
    if (area === 'openapi.json') return { paths: Object.fromEntries(PATHS.map((path) => [path, {}])) }
    if (area === 'status') return { runner: { pid: 4120, version: '0.1.0', started: new Date(Date.now() - 7.3e6).toISOString(), console: null }, totals: totals() }
    if (area === 'doctor') return { checks }
    if (area === 'diagnostics') return { sessions: sessions(state.repos) }
    if (area === 'folders') return url.searchParams.has('prefix') ? { matches: ['/home/ada/code/atlas', '/home/ada/code/docs'] } : { folders }
    if (area === 'settings') {
      if (request.method === 'PATCH') {
        Object.assign(state.settings, given)
        if (state.settings.max_live === 0) state.settings.max_live = null
      }
      return state.settings
    }
    if (area === 'pause-all') return { results: state.repos.filter((repo) => repo.memory).map((repo) => verbs.pause.call({ body: given }, repo.id)).map((done) => (Array.isArray(done) ? { repo: state.repos[1], freed_bytes: null, error: done[1].error } : { repo: done.repo, freed_bytes: done.freed_bytes, error: null })), freed_bytes: 286e6 }
    if (area === 'resume-all') return { results: state.repos.filter((repo) => repo.state === 'paused').map((repo) => ({ repo: change(repo.id, { state: 'asleep' }), freed_bytes: null, error: null })), freed_bytes: 0 }
    if (area !== 'repos') return [404, {}]
    if (!id && request.method === 'POST') {
      if (!given.path.startsWith('/')) return [400, { error: { code: 'bad_request', title: "Can't be understood", message: "A repo's `path` must begin at the root. Nothing was added.", hints: ['Write the whole path.'], severity: 'notice' } }]
      const repo = { ...repos()[4], id: `n${state.repos.length}`, name: given.path.split('/').pop(), path: given.path }
      state.repos.push(repo)
      tell({ kind: 'repo', repo })
      return [201, { repo }]
    }
    const repo = find(id)
    if (!repo) return [404, { error: { code: 'no_such_repo', title: 'No such repo', message: 'There is no such repo.', hints: [], severity: 'notice' } }]
    if (request.method === 'DELETE' && !verb) {
      state.repos.splice(state.repos.indexOf(repo), 1)
      tell({ kind: 'removed', id })
      return { repo }
    }
    if (verb === 'conversation') {
      const list = entries(id)
      const before = Number(url.searchParams.get('before') ?? Infinity)
      const limit = Number(url.searchParams.get('limit') ?? 50)
      const until = list.filter((entry) => Number(entry.id.split('.')[0]) < before)
      const page = until.slice(-limit)
      return { entries: page, before: until.length > page.length ? Number(page[0].id.split('.')[0]) : null, skipped: 0 }
    }
    if (verb === 'conversations') {
      return { conversations: [{ ...(repo.conversation ?? repos()[0].conversation), title: 'Make the tile cache bounded', current: true, resumable: true, size: 12e6 }, { ...repos()[1].conversation, id: 'older', title: 'Why is the total of invoice 2211 off by one cent?', current: false, resumable: true, size: 1.4e6 }], repo }
    }
    if (verb === 'log') return { entries: log(repo.name) }
    return verbs[verb] ? verbs[verb].call({ body: given }, id) : [404, {}]
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url, 'http://localhost')
    if (url.pathname.startsWith('/api/')) {
      if (state.locked) return response.writeHead(401).end('{}')
      if (url.pathname === '/api/events') return events(request, response)
      const answer = await api(request, url)
      const [status, json] = Array.isArray(answer) ? answer : [200, answer]
      return response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(json))
    }
    const name = url.pathname === '/' ? 'index.html' : url.pathname.slice(1)
    const file = await readFile(new URL(name, dist)).catch(() => null)
    if (!file) return response.writeHead(404).end()
    response.writeHead(200, { 'Content-Type': TYPES[name.split('.').pop()], 'Content-Security-Policy': POLICY }).end(file)
  })

  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => sockets.handleUpgrade(request, socket, head, terminal))
  function terminal(socket) {
    const send = (tag, text) => socket.send(Buffer.concat([Buffer.from([tag]), Buffer.from(text)]))
    const c = (code, text) => `\x1b[${code}m${text}\x1b[0m`
    send(0, `\x1bc\x1b]0;Claude Code\x07${c('1;35', '✻ Welcome to Claude Code!')}\r\n\r\n${c('2', '  cwd: /home/ada/code/atlas')}\r\n\r\n${c('1', '> ')}Why is the total off by one cent?\r\n\r\n${c('32', '●')} Two places round. See ${c('4', 'https://example.com/tickets/42')}\r\n\r\n${[...Array(8).keys()].map((n) => c(30 + n, `colour ${n}`) + ' ' + c(90 + n, `bright ${n}`)).join('\r\n')}\r\n${c('38;2;255;120;40', 'true colour')} ${c('48;5;24', 'indexed')}\r\n\r\n$ `)
    socket.on('message', (message) => {
      state.requests.push({ method: 'WS', tag: message[0], bytes: message.length - 1, text: message.subarray(1).toString() })
      if (message[0] === 0) send(1, message.subarray(1).toString().replaceAll('\r', '\r\n$ '))
    })
  }

  return {
    state,
    change,
    say,
    server,
    listen: (port = 0) => new Promise((done) => server.listen(port, '127.0.0.1', () => done(server.address().port))),
    close() {
      for (const reader of state.readers) reader.destroy()
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    },
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [, , port, kind] = process.argv
  console.log(await standin(kind).listen(Number(port ?? 0)))
}
