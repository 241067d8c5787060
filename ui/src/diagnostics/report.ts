import type { Check, Diagnostics, Repo, Status, Totals } from '../wire/types'

export interface Seen {
  status: Status | null
  checks: readonly Check[]
  diagnostics: Diagnostics | null
  repos: readonly Repo[]
  totals: Totals
}

/**
 * What can be shown to somebody who helps: states, numbers, codes and versions, but no prompts or output, names,
 * paths, commands or conversation ids.
 */
export function report(seen: Seen): string {
  const number = new Map(seen.repos.map((repo, at) => [repo.id, `repo ${at + 1}`]))
  const plain = {
    version: seen.status?.runner.version ?? null,
    started: seen.status?.runner.started ?? null,
    totals: seen.totals,
    checks: seen.checks.map(({ name, level, code }) => ({ name, level, code })),
    repos: seen.repos.map((repo) => ({
      repo: number.get(repo.id),
      engine: repo.engine,
      state: repo.state,
      continuity: repo.continuity && { kind: repo.continuity.kind, code: repo.continuity.code, at: repo.continuity.at },
      turns: repo.conversation?.turns ?? null,
      context_tokens: repo.conversation?.context_tokens ?? null,
      memory: repo.memory,
      freed_bytes: repo.freed_bytes,
      holds: repo.holds.map(({ kind, since }) => ({ kind, since })),
      reap_at: repo.reap_at,
      pinned: repo.pinned,
      queued: repo.queued,
      trouble: repo.trouble?.code ?? null,
    })),
    sessions: (seen.diagnostics?.sessions ?? []).map((session) => ({
      repo: number.get(session.repo) ?? 'removed repo',
      holder: session.holder,
      build: session.build,
      engine_pid: session.engine_pid,
      activity: session.activity,
      activity_since: session.activity_since,
      holds: session.holds.map(({ kind, since }) => ({ kind, since })),
      since: session.since,
      memory: session.memory,
      processes: session.tree.length,
      watching: session.watching,
      terminals: session.terminals,
      journal_trouble: session.journal_trouble !== null,
    })),
  }
  return JSON.stringify(plain, null, 2)
}
