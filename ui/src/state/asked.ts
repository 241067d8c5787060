import type { Refused } from '../link/http'
import type { AskShown, Entry, Repo, Trouble } from '../wire/types'

/** An ask that this page sent and whose prompt isn't in the transcript yet. */
export interface Sent {
  id: string
  text: string
  at: number
}

const squeezed = (text: string) => text.replace(/\s+/g, ' ').trim()

/** What is asked and not yet to be seen in the conversation: the server's waiting asks first, then what was just sent. */
export function pending(repo: Repo, sent: readonly Sent[], entries: readonly Entry[]): AskShown[] {
  const known = new Set(repo.asks.map((ask) => ask.id))
  const foreign = repo.asks.filter((ask) => !sent.some((own) => own.id === ask.id))
  const mine = sent
    .filter((ask) => !known.has(ask.id) && !taken(ask, entries) && !(unanswered(ask) && takeTwin(ask, foreign)))
    .map((ask) => ({ id: ask.id, text: ask.text, at: new Date(ask.at).toISOString(), stage: 'waiting' as const, reason: null }))
  // What the engine has taken stands in the transcript.
  return [...repo.asks.filter((ask) => ask.stage !== 'taken'), ...mine]
}

/** The stream may tell of an ask before its request is answered, and with that its id is known: then its words tell. */
export const unanswered = (ask: Sent) => ask.id.startsWith(UNANSWERED)

/** The id of an ask until its request is answered. */
export const idUntilAnswered = (at: number) => `${UNANSWERED}${at}`

const UNANSWERED = 'sent-'
/** How the server ends a text that it cut. */
const CUT = '…'

/** Takes the one with the same words out of those that nobody here has the id of, if it is there. */
function takeTwin(ask: Sent, foreign: AskShown[]): boolean {
  const text = squeezed(ask.text)
  const twin = foreign.findIndex((one) =>
    one.text.endsWith(CUT) ? text.startsWith(squeezed(one.text.slice(0, -CUT.length))) : squeezed(one.text) === text,
  )
  if (twin >= 0) foreign.splice(twin, 1)
  return twin >= 0
}

/** Clocks of page and machine are the same, but the transcript's times are rounded. */
const SLACK = 5_000

function taken(ask: Sent, entries: readonly Entry[]): boolean {
  const text = squeezed(ask.text)
  return entries.some(
    (entry) =>
      (entry.kind === 'user' || entry.kind === 'command') &&
      (entry.at === null || Date.parse(entry.at) >= ask.at - SLACK) &&
      squeezed(entry.text.shown) === text,
  )
}

/** What became of an ask. With a trouble: the engine never took it, so its words are the person's to send again. */
export type Outcome = 'goes on' | 'over' | Trouble

/** Troubles of an ask whose prompt was taken, or that is so old that nobody knows it any more. */
const OVER = ['turn_failed', 'turn_interrupted', 'engine_ended', 'no_such_ask']

/** What an answer that is no success says of the ask. */
export function outcome({ status, trouble }: Pick<Refused, 'status' | 'trouble'>): Outcome {
  // No server, no login, no answer yet: none of them says anything of the ask.
  if (status === 0 || status === 401 || status === 504) return 'goes on'
  return OVER.includes(trouble.code) ? 'over' : trouble
}
