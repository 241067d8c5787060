import { ago, bytes, shortened, span, tokens, until } from '../parts/words'
import type { Continuity, HappenedKind, Hold, Keeps, Repo, RepoState } from '../wire/types'

/** The last thing that happened in a repo, in a few words. */
export function happened(repo: Repo, now: number, since?: { state: RepoState; at: number }): string {
  const freed = repo.freed_bytes ? `, freed ${bytes(repo.freed_bytes)}` : ''
  const waits = repo.queued > 0 ? `, ${repo.queued} queued` : ''
  if (repo.owner && (repo.state === 'asleep' || repo.state === 'paused')) {
    const { pid, terminal } = repo.owner
    return `open elsewhere (pid ${pid}${terminal ? ` in ${terminal.replace('/dev/', '')}` : ''})${waits}`
  }
  switch (repo.state) {
    case 'asleep':
      if (repo.trouble) return repo.trouble.title
      if (repo.last?.kind === 'ended') return `ended ${ago(repo.last.at, now)}`
      if (repo.last?.kind === 'stopped') return `stopped ${ago(repo.last.at, now)}${freed}`
      if (repo.last?.kind === 'reaped') return `let go ${ago(repo.last.at, now)}${repo.last.early ? ` ${repo.last.early}` : ''}${freed}`
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
      if (repo.last?.kind === 'interrupted') return `interrupted ${ago(repo.last.at, now)}`
      if (repo.last?.kind === 'turn_over') return `stopped without an answer ${ago(repo.last.at, now)}`
      // The statement shows whether the turn before that was answered or cut off.
      if (repo.last?.kind === 'opened' && repo.continuity?.kind === 'resumed') return `picked up ${ago(repo.last.at, now)}`
      return repo.conversation?.last_activity && repo.conversation.turns !== 0
        ? `answered ${ago(repo.conversation.last_activity, now)}`
        : 'ready'
    }
  }
}

/** What a sleeping repo's row says beside its name, since it says nothing else: when it was last used. Null: it has news. */
export const rests = (repo: Repo, now: number): string | null => {
  if (!happened(repo, now).startsWith('asleep') || repo.freed_bytes) return null
  const used = repo.conversation?.last_activity
  return used ? ago(used, now) : ''
}

/** Whether a hold is something that runs outside of turns. */
export const goesOn = ({ kind }: Hold) => kind === 'background' || kind === 'process'

/** What runs outside of turns: `runs npm run dev, 3 h`. */
function beside(repo: Repo, now: number): string | null {
  const hold = repo.holds.find(goesOn)
  return hold?.subject ? `runs ${hold.subject}, ${span(now - Date.parse(hold.since))}` : null
}

/** In a narrow row, what is asked for comes first. */
function waiting(repo: Repo): string {
  const hold = repo.holds.find((hold) => hold.kind === 'waiting')
  if (!hold) return 'waiting for you'
  if (hold.waits_for === 'choice' && !hold.subject) return 'asks you to choose'
  if (hold.waits_for === 'choice' && hold.subject) return `asks “${shortened(hold.subject, QUOTED_MAX)}”`
  const words = hold.waits_for === 'permission' && hold.subject ? `asks to ${hold.subject}` : `waiting for ${hold.detail}`
  return words.replaceAll('`', '')
}

/** The most characters of a question that fit in a row: what the row itself cuts off would lose the closing quote. */
const QUOTED_MAX = 20

/**
 * When its engine will be let go, in words. `idleAfter`: the idle time that it takes, in milliseconds; null: not
 * known.
 */
export function letGo(repo: Repo, now: number, idleAfter: number | null): string {
  if (repo.pinned) return 'It is pinned: it stays awake until you unpin it.'
  if (repo.holds.length > 0) {
    const unused = idleAfter === null ? 'for a while' : `for ${span(idleAfter)}`
    return `It is let go once all of this is over and nobody has used it ${unused}.`
  }
  if (repo.reap_at) return `Nothing keeps it. It will be let go ${until(repo.reap_at, now)}${STAYS[repo.keeps]}.`
  return 'Nothing keeps it awake.'
}

/** What happens to its conversation then. */
const STAYS: Record<Keeps, string> = {
  picked_up: ', and its conversation stays',
  listed: '; its conversation stays on disk, but isn’t picked up again',
  nothing: '',
}

/** A conversation's size, if known. */
export function weight(repo: Repo): string | null {
  const context = repo.conversation?.context_tokens
  return context ? `${tokens(context)} tokens` : null
}

/** From this many tokens on, resuming takes noticeable time and money, which is said before Resume. */
export const LARGE_CONTEXT = 50_000

/**
 * The statement of the last open, while it is news: until the first turn after it is over. From then on it is shown
 * in its place in the conversation.
 */
export function statement(repo: Repo): Continuity | null {
  const { continuity, last, conversation } = repo
  if (!continuity || !repo.live) return null
  const since = (at: string | null | undefined) => at != null && Date.parse(at) > Date.parse(continuity.at)
  const over = last ? TURN_OVER.includes(last.kind) && since(last.at) : repo.state === 'ready' && since(conversation?.last_activity)
  return over ? null : continuity
}

const TURN_OVER: readonly HappenedKind[] = ['answered', 'interrupted', 'turn_over']
