import { ago, bytes, span, tokens, until } from '../parts/words'
import type { Repo, RepoState } from '../wire/types'

/** The last thing that happened in a repo, in a few words. */
export function happened(repo: Repo, now: number, since?: { state: RepoState; at: number }): string {
  const freed = repo.freed_bytes ? `, freed ${bytes(repo.freed_bytes)}` : ''
  const waits = repo.queued > 0 ? `, ${repo.queued} queued` : ''
  switch (repo.state) {
    case 'asleep':
      if (repo.trouble) return repo.trouble.title
      if (repo.last?.code === 'ended') return `ended by itself ${ago(repo.last.at, now)}`
      if (repo.last?.code === 'reaped') return `let go ${ago(repo.last.at, now)}${freed}`
      return repo.freed_bytes ? `asleep${freed}` : repo.conversation?.last_activity
        ? `asleep, last used ${ago(repo.conversation.last_activity, now)}`
        : 'asleep'
    case 'paused':
      return `paused${freed}${waits}`
    case 'offline':
      return repo.trouble?.title ?? 'offline'
    case 'opening':
      return `opening… ${span(since ? now - since.at : 0)}`
    case 'waiting':
      return waiting(repo)
    case 'working': {
      if (repo.trouble) return repo.trouble.title
      const turn = repo.holds.find((hold) => hold.kind === 'turn')
      return turn ? `working for ${span(now - Date.parse(turn.since))}${waits}` : `working${waits}`
    }
    case 'ready': {
      if (repo.trouble) return repo.trouble.title
      const goesOn = beside(repo, now)
      if (goesOn) return goesOn
      if (repo.last?.code === 'turn_over') return `stopped without an answer ${ago(repo.last.at, now)}`
      return repo.conversation?.last_activity && repo.conversation.turns > 0
        ? `answered ${ago(repo.conversation.last_activity, now)}`
        : 'ready'
    }
  }
}

/** What goes on although no turn does: `runs npm run dev, 3 h`. */
function beside(repo: Repo, now: number): string | null {
  const hold = repo.holds.find(({ kind }) => kind === 'background' || kind === 'process')
  const what = hold && /`(.+?)`/.exec(hold.detail)?.[1]
  return what ? `runs ${what}, ${span(now - Date.parse(hold.since))}` : null
}

/** What is asked for comes first in a narrow row. */
const PERMISSION = 'the permission to '

function waiting(repo: Repo): string {
  const hold = repo.holds.find((hold) => hold.kind === 'waiting')
  if (!hold) return 'waiting for you'
  const detail = hold.detail.replaceAll('`', '')
  return detail.startsWith(PERMISSION) ? `asks to ${detail.slice(PERMISSION.length)}` : `waiting for ${detail}`
}

/** When its engine will be let go, in words. */
export function letGo(repo: Repo, now: number): string {
  if (repo.pinned) return 'It is pinned: it stays awake until you unpin it.'
  if (repo.holds.length > 0) return 'It is let go some time after all of this is over.'
  if (repo.reap_at) return `Nothing keeps it. It will be let go ${until(repo.reap_at, now)}, and its conversation stays.`
  return 'Nothing keeps it awake.'
}

/** A conversation's size, where it is known. */
export function weight(repo: Repo): string | null {
  const context = repo.conversation?.context_tokens
  return context ? `${tokens(context)} tokens` : null
}

/** A context that is larger costs noticeable time and money to take up again: said before Resume. */
export const LARGE_CONTEXT = 50_000
