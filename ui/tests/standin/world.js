// The repos and conversations that the stand-in shows: one of everything that the page has to show well.

const now = Date.now()
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const ago = (ms) => new Date(now - ms).toISOString()
const MB = 1_000_000

const base = {
  engine: 'claude',
  continuity: null,
  conversation: null,
  memory: null,
  freed_bytes: null,
  holds: [],
  reap_at: null,
  pinned: false,
  queued: 0,
  trouble: null,
  branch: 'main',
}

const resumed = (ms, text) => ({
  kind: 'resumed',
  code: 'resumed',
  sentence: `Picked up this repo's previous conversation, last used ${text} ago.`,
  at: ago(ms),
})

const talk = (id, ms, turns, context_tokens) => ({
  id,
  last_activity: ago(ms),
  turns,
  context_tokens,
  transcript: `/home/ada/.claude/projects/-home-ada-code/${id}.jsonl`,
})

const memory = (mb, processes = 6) => ({ bytes: mb * MB, processes, measured: 'pss' })

export const repos = () => [
  {
    ...base,
    id: 'r1',
    name: 'atlas',
    path: '/home/ada/code/atlas',
    state: 'ready',
    branch: 'feature/tile-cache',
    continuity: resumed(40 * MINUTE, '7 h'),
    conversation: talk('c1', 3 * MINUTE, 14, 68_400),
    memory: memory(286),
    holds: [
      { kind: 'process', since: ago(3 * HOUR), detail: '`npm run dev`, which listens on port 5173' },
      { kind: 'client', since: ago(MINUTE), detail: 'somebody is using its terminal' },
    ],
  },
  {
    ...base,
    id: 'r2',
    name: 'billing-service',
    path: '/home/ada/code/billing-service',
    state: 'working',
    branch: 'fix/rounding-in-invoices',
    continuity: resumed(12 * MINUTE, '2 days'),
    conversation: talk('c2', MINUTE, 31, 142_000),
    memory: memory(412, 9),
    holds: [
      { kind: 'turn', since: ago(4 * MINUTE), detail: 'a turn in progress' },
      { kind: 'background', since: ago(9 * MINUTE), detail: 'the background task `cargo test --workspace`' },
    ],
  },
  {
    ...base,
    id: 'r3',
    name: 'docs',
    path: '/home/ada/code/docs',
    state: 'waiting',
    continuity: {
      kind: 'fresh',
      code: 'too_old',
      sentence: 'Started fresh: the previous conversation was 9 days old.',
      at: ago(6 * MINUTE),
    },
    conversation: talk('c3', 2 * MINUTE, 1, 9_300),
    memory: memory(231),
    holds: [{ kind: 'waiting', since: ago(2 * MINUTE), detail: 'the permission to run `git push origin main`' }],
    decision: {
      id: 'd1',
      kind: 'permission',
      title: 'The agent asks for the permission to run a command.',
      detail: 'git push origin main',
      choices: [
        { id: '1', label: 'Allow', kind: 'allow' },
        { id: '2', label: "Allow, and don't ask again for git push", kind: 'other' },
        { id: '3', label: 'Deny', kind: 'deny' },
      ],
    },
  },
  {
    ...base,
    id: 'r4',
    name: 'garden',
    path: '/home/ada/code/garden',
    state: 'paused',
    continuity: resumed(5 * HOUR, '1 h'),
    conversation: talk('c4', 2 * HOUR, 22, 96_000),
    freed_bytes: 266 * MB,
  },
  {
    ...base,
    id: 'r5',
    name: 'kernel-notes',
    path: '/home/ada/notes/kernel-notes',
    state: 'asleep',
    branch: null,
    conversation: talk('c5', 26 * HOUR, 3, 12_000),
    freed_bytes: 254 * MB,
  },
  {
    ...base,
    id: 'r6',
    name: 'lighthouse',
    path: '/home/ada/code/lighthouse',
    state: 'asleep',
    conversation: talk('c6', 70 * HOUR, 8, 31_000),
    pinned: true,
  },
  {
    ...base,
    id: 'r7',
    name: 'old-website',
    path: '/home/ada/archive/old-website',
    state: 'offline',
    branch: null,
    trouble: {
      code: 'folder_gone',
      title: 'Folder gone',
      message: 'The folder /home/ada/archive/old-website is not there any more. Nothing was opened.',
      hints: ['Put it back, or add it again where it is now: `repose add PATH`.', 'Remove it here if it is not needed.'],
      severity: 'error',
    },
  },
  {
    ...base,
    id: 'r8',
    name: 'a-repo-with-quite-a-long-name-for-a-list',
    path: '/home/ada/code/clients/north/a-repo-with-quite-a-long-name-for-a-list',
    state: 'opening',
    branch: 'dependabot/npm_and_yarn/very-long-branch-name-1.2.3',
    conversation: talk('c8', 30 * HOUR, 40, 188_000),
  },
]

const text = (shown) => ({ shown, bytes: new TextEncoder().encode(shown).length })

const ANSWER = `The invoices round each line before they add up, so a total can be off by a cent. Two places do it:

1. \`Line::total\` rounds to cents.
2. \`Invoice::total\` adds the rounded lines **and** rounds again.

I keep full precision until the end:

\`\`\`rust
/// Sum of the lines, rounded once, half to even.
pub fn total(&self) -> Cents {
    let exact: Decimal = self.lines.iter().map(Line::exact).sum();
    Cents::from(exact.round_dp_with_strategy(2, RoundingStrategy::MidpointNearestEven))
}
\`\`\`

| case | before | after |
| --- | ---: | ---: |
| three lines of 0.335 | 1.02 | 1.00 |
| one line of 10.005 | 10.01 | 10.00 |

- [x] unit tests
- [ ] migration of stored totals

> Stored totals stay as they are: they were sent to customers.

See [the ticket](https://example.com/tickets/42), and not <script>alert(1)</script> or [this](javascript:alert(1)).`

/** A conversation of `turns` turns, oldest first. */
export function conversation(turns, end = now - 3 * MINUTE) {
  const entries = []
  let offset = 0
  const push = (ms, entry) => entries.push({ id: `${(offset += 500)}.0`, at: new Date(ms).toISOString(), ...entry })
  for (let turn = 0; turn < turns; turn++) {
    const at = end - (turns - turn) * 11 * MINUTE
    push(at, { kind: 'user', author: 'person', text: text(turn === turns - 1 ? 'Why is the total of invoice 2211 off by one cent?\nFix it where it comes from.' : `Question ${turn + 1}: what does the cache do when a tile is missing?`) })
    push(at + 4_000, { kind: 'agent', message: `m${turn}a`, text: text('I look at how the numbers come together first.') })
    const tools = turn === turns - 1 ? 6 : 2
    for (let use = 0; use < tools; use++) {
      const id = `t${turn}-${use}`
      const [name, input] = [['Bash', 'rg -n "round" src/'], ['Read', 'src/invoice/total.rs'], ['Edit', 'src/invoice/total.rs'], ['Bash', 'cargo test -p billing invoice']][use % 4]
      push(at + 6_000 + use * 3_000, { kind: 'tool_use', tool_use: id, name, input })
      push(at + 7_000 + use * 3_000, {
        kind: 'tool_result',
        tool_use: id,
        failed: use === 3,
        text: text(use === 3 ? 'error[E0308]: mismatched types\n  --> src/invoice/total.rs:41:9\n' : 'src/invoice/total.rs:41:    self.lines.iter().map(Line::total).sum()\nsrc/invoice/line.rs:18:    round(self.price * self.count)\n'),
      })
    }
    if (turn === Math.floor(turns / 2) && turns > 3) {
      push(at + 30_000, { kind: 'interrupted' })
      continue
    }
    push(at + 40_000, { kind: 'agent', message: `m${turn}b`, text: text(turn === turns - 1 ? ANSWER : 'It asks the next level up, and remembers that the tile was missing for **30 s**, so that a burst of requests costs one look-up.') })
  }
  return entries
}

export const folders = [
  { path: '/home/ada/code/atlas', name: 'atlas', engine: 'claude', last_activity: ago(3 * MINUTE), title: 'Make the tile cache bounded', turns: 14, context_tokens: 68_400, added: false, owner: null },
  { path: '/home/ada/code/billing-service', name: 'billing-service', engine: 'claude', last_activity: ago(HOUR), title: 'Why is the total of invoice 2211 off by one cent?', turns: 31, context_tokens: 142_000, added: false, owner: { pid: 48211, terminal: 'pts/3', command: 'claude' } },
  { path: '/home/ada/notes/kernel-notes', name: 'kernel-notes', engine: 'claude', last_activity: ago(26 * HOUR), title: null, turns: 3, context_tokens: null, added: false, owner: null },
]

export const settings = {
  idle_after_ms: 6 * HOUR,
  resume_within_ms: 96 * HOUR,
  stall_after_ms: 10 * MINUTE,
  memory_budget: { kind: 'off' },
  max_live: null,
  console_port: 0,
  notify: { reaped: true, fresh: true, needs_you: true, finished: false, trouble: true },
  file: '/home/ada/.config/repose/config.toml',
  trouble: null,
}

export const checks = [
  { name: 'runner', level: 'ok', code: null, sentence: 'The runner is running (process 4120).', hints: [] },
  { name: 'claude', level: 'ok', code: null, sentence: 'Claude Code 2.1.332 is at /home/ada/.local/bin/claude and logged in.', hints: [] },
  { name: 'old-website', level: 'error', code: 'folder_gone', sentence: 'The folder /home/ada/archive/old-website is not there any more.', hints: ['Put it back, or remove the repo.'] },
  { name: 'disk', level: 'warning', code: null, sentence: '1.2 GB are free where the state is kept.', hints: [] },
]

export const log = (id) => [
  { id: 1, at: ago(5 * HOUR), kind: 'opened', text: `Opened. Picked up this repo's previous conversation, last used 7 h ago.`, answer: null },
  { id: 2, at: ago(4 * HOUR), kind: 'asked', text: 'Asked: why is the total off by one cent?', answer: 'Two places round.' },
  { id: 3, at: ago(HOUR), kind: 'reaped', text: `Let go after 6 h idle, freed 254 MB (${id}).`, answer: null },
]

export const sessions = (list) =>
  list
    .filter((repo) => repo.memory)
    .map((repo, at) => ({
      id: `s${at}`,
      repo: repo.id,
      name: repo.name,
      holder_pid: 41_000 + at,
      build: '0.1.0-3f2a',
      same_build: true,
      engine_pid: 42_000 + at,
      activity: repo.state === 'ready' ? 'idle' : repo.state,
      activity_since: ago(4 * MINUTE),
      waits_for: null,
      holds: repo.holds,
      since: ago(40 * MINUTE),
      memory: repo.memory,
      tree: [1, 2, 3, 4, 5, 6],
      watching: true,
      terminals: at === 0 ? 1 : 0,
      journal_trouble: null,
    }))
