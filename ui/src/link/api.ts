import type {
  Added,
  Answered,
  Check,
  Diagnostics,
  Engine,
  Folder,
  Found,
  Listed,
  Outcomes,
  Page,
  Paused,
  Recent,
  Repo,
  RunnerLog,
  Settings,
  Status,
} from '../wire/types'
import { send } from './http'

const at = (id: string, verb = '') => `/api/repos/${encodeURIComponent(id)}${verb && `/${verb}`}`

function query(values: Record<string, string | number | boolean | null | undefined>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined) params.set(name, String(value))
  }
  const text = params.toString()
  return text && `?${text}`
}

const get = <T>(path: string, signal?: AbortSignal) => send('GET', path, undefined, signal) as Promise<T>
const post = <T>(path: string, body: unknown = {}) => send('POST', path, body) as Promise<T>

/** The work that an order may cut off: what a refusal named, by its `work`. Without it an order that would lose any is refused. */
export type AtMost = string | null

const cutsOff = (at_most: AtMost) => (at_most === null ? {} : { at_most })

export interface PageAsked {
  conversation?: string | null
  before?: number | null
  limit?: number
}

export const api = {
  /** The path templates of the server, which show what it can do. */
  paths: async () => new Set(Object.keys((await get<{ paths: object }>('/api/openapi.json')).paths)),
  status: () => get<Status>('/api/status'),
  add: (path: string, engine?: string) => post<Added>('/api/repos', engine ? { path, engine } : { path }),
  remove: (id: string, atMost: AtMost) => send('DELETE', at(id) + query({ at_most: atMost })),
  ensure: (id: string) => post<{ repo: Repo }>(at(id, 'ensure')),
  /** Opens it as soon as nobody else has its conversation open. */
  whenFree: (id: string) => post<{ repo: Repo }>(at(id, 'ensure'), { when_free: true }),
  /** `queue`: if it can't be sent now, it waits rather than being refused. */
  ask: (id: string, text: string, queue: boolean) => post<Answered>(at(id, 'ask'), { text, wait: false, queue }),
  /** The outcome of an ask. Refused with 504: none yet. */
  outcome: (ask: string) => get<Answered>(`/api/asks/${encodeURIComponent(ask)}?timeout_ms=0`),
  pause: (id: string, atMost: AtMost) => post<Paused>(at(id, 'pause'), cutsOff(atMost)),
  resume: (id: string, conversation?: string) =>
    post<{ repo: Repo }>(at(id, 'resume'), conversation ? { conversation } : {}),
  fresh: (id: string, atMost: AtMost) => post<{ repo: Repo }>(at(id, 'fresh'), cutsOff(atMost)),
  stop: (id: string, atMost: AtMost) => post<{ repo: Repo }>(at(id, 'stop'), cutsOff(atMost)),
  engine: (id: string, engine: string, atMost: AtMost) =>
    post<{ repo: Repo }>(at(id, 'engine'), { engine, ...cutsOff(atMost) }),
  interrupt: (id: string) => post<{ repo: Repo }>(at(id, 'interrupt')),
  pin: (id: string, pinned: boolean) => post<{ repo: Repo }>(at(id, pinned ? 'pin' : 'unpin')),
  used: (id: string, client: string, in_use: boolean) => post<null>(at(id, 'used'), { client, in_use }),
  fork: (id: string, conversation?: string) =>
    post<{ repo: Repo }>(at(id, 'fork'), conversation ? { conversation } : {}),
  /** `words`: somebody's own, for a choice that takes them. */
  answer: (id: string, decision: string, choice: string, words: string | null = null) =>
    post<{ repo: Repo }>(at(id, 'answer'), words === null ? { decision, choice } : { decision, choice, words }),
  withdraw: (id: string, ask: string) => send('DELETE', at(id, `asks/${encodeURIComponent(ask)}`)),
  show: (id: string, where: 'editor' | 'files') => post<null>(at(id, 'show'), { in: where }),
  image: (id: string, image: Blob) => send('POST', at(id, 'images'), image) as Promise<{ path: string }>,
  pauseAll: () => post<Outcomes>('/api/pause-all'),
  resumeAll: () => post<Outcomes>('/api/resume-all'),
  page: (id: string, asked: PageAsked, signal?: AbortSignal) =>
    get<Page>(at(id, 'conversation') + query({ ...asked }), signal),
  find: (id: string, asked: { q: string; conversation: string | null; before: number | null }, signal: AbortSignal) =>
    get<Found>(at(id, 'conversation/find') + query(asked), signal),
  conversations: (id: string) => get<{ conversations: Listed[] }>(at(id, 'conversations')),
  recent: (limit: number) => get<Recent>('/api/log' + query({ limit })),
  folders: () => get<{ folders: Folder[] }>('/api/folders'),
  complete: (prefix: string, signal: AbortSignal) =>
    get<{ matches: string[] }>('/api/complete' + query({ prefix }), signal),
  engines: async () => (await get<{ engines: Engine[] }>('/api/engines')).engines,
  runnerLog: () => get<RunnerLog>('/api/diagnostics/log'),
  doctor: () => get<{ checks: Check[] }>('/api/doctor'),
  diagnostics: () => get<Diagnostics>('/api/diagnostics'),
  settings: () => get<Settings>('/api/settings'),
  change: (patch: Partial<Settings>) => send('PATCH', '/api/settings', patch) as Promise<Settings>,
}
