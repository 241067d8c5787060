// What the API speaks. Mirrors the server's wire types; times are RFC 3339 in UTC, sizes bytes, spans milliseconds.

export type Time = string

export type RepoState = 'asleep' | 'opening' | 'ready' | 'working' | 'waiting' | 'paused' | 'offline'

export interface Continuity {
  kind: 'resumed' | 'fresh'
  code: string
  sentence: string
  at: Time
}

export interface Conversation {
  id: string
  last_activity: Time | null
  turns: number
  context_tokens: number | null
  transcript: string | null
}

export interface Memory {
  bytes: number
  processes: number
  measured: 'pss' | 'rss'
}

export interface Hold {
  kind: string
  since: Time
  detail: string
}

export interface Trouble {
  code: string
  title: string
  message: string
  hints: string[]
  severity: 'notice' | 'warning' | 'error'
}

/** A program outside Repose that has the conversation open. */
export interface Owner {
  pid: number
  terminal: string | null
  command: string | null
}

/** What the agent waits for, with the ways to answer it. */
export interface Decision {
  id: string
  kind: 'permission' | 'choice' | 'trust'
  title: string
  detail: string | null
  choices: { id: string; label: string; kind: 'allow' | 'deny' | 'other' }[]
}

/** An ask that isn't over. */
export interface AskShown {
  id: string
  text: string
  at: Time
  stage: 'waiting' | 'typed' | 'taken'
  reason: string | null
}

export interface Happened {
  code: string
  sentence: string
  at: Time
}

export interface Repo {
  id: string
  name: string
  path: string
  engine: string
  state: RepoState
  continuity: Continuity | null
  conversation: Conversation | null
  memory: Memory | null
  freed_bytes: number | null
  holds: Hold[]
  reap_at: Time | null
  pinned: boolean
  queued: number
  trouble: Trouble | null
  branch: string | null
  /** When the state began. */
  since: Time | null
  last: Happened | null
  owner: Owner | null
  opens_when_free: boolean
  decision: Decision | null
  asks: AskShown[]
  resume_command: string | null
}

export interface Totals {
  live: number
  paused: number
  live_bytes: number
  freed_bytes: number
  gate: boolean
}

export interface Runner {
  pid: number
  version: string
  started: Time
  console: string | null
}

export interface Status {
  runner: Runner
  totals: Totals
}

export interface Snapshot {
  seq: number
  repos: Repo[]
  totals: Totals
}

export type Delta =
  | { kind: 'repo'; seq: number; repo: Repo }
  | { kind: 'removed'; seq: number; id: string }
  | { kind: 'totals'; seq: number; totals: Totals }
  | { kind: 'settings'; seq: number }
  | { kind: 'notice'; seq: number; id: string; code: string; sentence: string }
  | { kind: 'grew'; seq: number; id: string; conversation: string }

export interface Text {
  shown: string
  bytes: number
}

export type EntryKind =
  | { kind: 'user'; text: Text; author: 'person' | 'engine' }
  | { kind: 'agent'; text: Text; message: string | null }
  | { kind: 'tool_use'; tool_use: string; name: string; input: string }
  | { kind: 'tool_result'; tool_use: string; text: Text; failed: boolean }
  | { kind: 'command'; text: Text }
  | { kind: 'interrupted' }
  | { kind: 'failed'; text: Text }
  | { kind: 'compacted' }
  | { kind: 'continuity'; continuity: Continuity }

export type Entry = { id: string; at: Time | null } & EntryKind

export interface Page {
  entries: Entry[]
  before: number | null
  skipped: number
}

export interface Listed extends Conversation {
  title: string | null
  current: boolean
  resumable: boolean
  bytes: number
}

export interface Folder {
  path: string
  name: string
  engine: string
  conversation: Conversation | null
  title: string | null
  bytes: number
  added: boolean
  owner: Owner | null
}

export interface Answered {
  answer: string | null
  continuity: Continuity | null
  ask: string
  repo: Repo
}

export interface Paused {
  freed_bytes: number
  measured: 'pss' | 'rss'
  took_ms: number
  repo: Repo
}

export interface Outcomes {
  results: { repo: Repo; freed_bytes: number | null; error: Trouble | null }[]
  freed_bytes: number
}

export interface Check {
  name: string
  level: 'ok' | 'warning' | 'error'
  code: string | null
  sentence: string
  hints: string[]
}

export interface LogEntry {
  id: number
  at: Time
  kind: string
  text: string
  ask: string | null
  code: string | null
  freed_bytes: number | null
}

export interface Session {
  id: string
  repo: string
  name: string
  holder_pid: number
  build: string
  same_build: boolean
  engine_pid: number | null
  activity: string
  activity_since: Time
  waits_for: string | null
  holds: Hold[]
  since: Time
  memory: Memory | null
  tree: number[]
  watching: boolean
  terminals: number
  journal_trouble: string | null
}

export interface Diagnostics {
  sessions: Session[]
}

export type Budget = { kind: 'off' } | { kind: 'bytes'; bytes: number } | { kind: 'share'; percent: number }

export interface Notify {
  reaped: boolean
  fresh: boolean
  needs_you: boolean
  finished: boolean
  trouble: boolean
}

export interface Settings {
  idle_after_ms: number
  resume_within_ms: number
  stall_after_ms: number
  memory_budget: Budget
  /** Null: any number. In a change 0 stands for that. */
  max_live: number | null
  console_port: number
  notify: Notify
  file: string
  trouble: Trouble | null
}
