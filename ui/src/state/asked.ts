import type { Refused } from '../link/http'
import type { AskShown, Entry, Repo, Trouble } from '../wire/types'

/** An ask that this page sent and whose prompt isn't in the transcript yet. */
export interface Sent {
  id: string
  text: string
  at: number
  /** The repo's conversation at that time. Null: none. */
  conversation?: string | null
  /** Whether it was sent before this page was loaded. */
  before?: true
}

/** An ask that was accepted and ended without an answer. */
export interface Failed extends Sent {
  trouble: Trouble
  /** When this page learnt of it, in milliseconds. */
  over: number
  /** Whether it was seen in the conversation, so that the engine took it. */
  stood?: true
}

/** A text as it may be compared: engines compose accents, and leave out what shows nothing. */
const squeezed = (text: string) =>
  text
    .normalize('NFC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()

/**
 * The asks that aren't visible in the conversation yet: the server's first, then those just sent. `whole`: whether
 * the entries start at the conversation's beginning.
 */
export function pending(repo: Repo, sent: readonly Sent[], entries: readonly Entry[], whole: boolean): AskShown[] {
  const known = new Set(repo.asks.map((ask) => ask.id))
  const foreign = repo.asks.filter((ask) => !sent.some((own) => own.id === ask.id))
  const mine = sent
    .filter((ask) => !known.has(ask.id) && taken(ask, entries) < 0 && !(unanswered(ask) && takeTwin(ask, foreign)))
    .map((ask) => ({ id: ask.id, text: ask.text, at: new Date(ask.at).toISOString(), stage: 'waiting' as const, reason: null }))
  return [...repo.asks.filter((ask) => ask.stage !== 'taken' || !stands(ask)), ...mine]

  /** Whether the prompt of an ask that the engine took is in the transcript. */
  function stands(ask: AskShown): boolean {
    const { text } = sent.find((own) => own.id === ask.id) ?? ask
    const at = Date.parse(ask.at)
    if (taken({ id: ask.id, text, at }, entries) >= 0) return true
    const first = entries.find((entry) => entry.at !== null)?.at
    // In a long turn it may be further up than what is loaded.
    return !whole && first != null && Date.parse(first) > at
  }
}

/**
 * The stream may report an ask before its request is answered, which gives its id: until then its text identifies it.
 */
export const unanswered = (ask: Sent) => ask.id.startsWith(UNANSWERED)

/** The id of an ask until its request is answered. */
export const idUntilAnswered = (at: number) => `${UNANSWERED}${at}`

const UNANSWERED = 'sent-'
/** How the server ends a text that it cut. */
const CUT = '…'

/** Removes the ask with the same text from those whose id isn't known here, if there is one. */
function takeTwin(ask: Sent, foreign: AskShown[]): boolean {
  const text = squeezed(ask.text)
  const twin = foreign.findIndex((one) => same(text, squeezed(one.text)))
  if (twin >= 0) foreign.splice(twin, 1)
  return twin >= 0
}

/** Page and server use the same clock, but the transcript's times are rounded. */
const SLACK = 5_000

/** Whether a text, which may be cut, is that of an ask. */
const same = (text: string, asked: string) =>
  text === asked || (asked.endsWith(CUT) && text.startsWith(asked.slice(0, -CUT.length).trim()))

/** The index of the entry that is its prompt. -1: there is none. */
function taken(ask: Sent, entries: readonly Entry[]): number {
  const text = squeezed(ask.text)
  return entries.findIndex(
    (entry) =>
      (entry.kind === 'user' || entry.kind === 'command') &&
      (entry.at === null || Date.parse(entry.at) >= ask.at - SLACK) &&
      same(squeezed(entry.text.shown), text),
  )
}

/** The outcome of an ask. With a trouble: it ended without an answer. */
export type Outcome = 'goes on' | Trouble

/** What an unsuccessful answer says about the ask. */
export function outcome({ status, trouble }: Pick<Refused, 'status' | 'trouble'>): Outcome {
  // No server, no login, no answer yet: none of these says anything about the ask.
  return status === 0 || status === 401 || status === 504 ? 'goes on' : trouble
}

/** Why an ask isn't taken yet, in a sentence. */
export function waits(repo: Repo, { reason }: AskShown): string {
  if (repo.opens_when_free) return 'It is sent once its conversation is closed elsewhere.'
  // It isn't delayed by what precedes it, but by a decision that somebody has to make.
  if (repo.state === 'waiting') return 'It is sent once you have answered what the agent waits for.'
  return reason ?? (repo.state === 'opening' ? 'Sent. The agent is opening.' : 'Sent.')
}

/** A question that will no longer be answered. */
export interface Unanswered {
  id: string
  /** What was asked. Null: its text is cut, so it can't be asked again from here. */
  text: string | null
  /** Whether it isn't in the conversation and can be read only here. */
  lost: boolean
  /** Its entry in the conversation. Null: there is none. */
  entry: string | null
  /** The entry before which to show it, which is the next question. Null: at the end. */
  before: string | null
  /** Whether nothing went wrong: somebody wanted it to end, here or elsewhere. */
  calm: boolean
  why: { title: string | null; words: string }
}

/**
 * The questions that ended without an answer: those of this page that the server reported, and those in the
 * conversation whose agent was ended during them. `whole`: whether the entries start at the conversation's beginning.
 */
export function cameToNothing(repo: Repo, failed: readonly Failed[], entries: readonly Entry[], whole: boolean): Unanswered[] {
  // In the order in which they were asked, not in which their outcomes were learnt.
  const open = failed.filter((ask) => !settled(ask, entries)).toSorted((one, other) => one.at - other.at)
  const own = open.flatMap((ask): Unanswered[] => {
    const { id, text, trouble } = ask
    const at = taken(ask, entries)
    const lost = at < 0
    // It is further up than what is loaded.
    if (lost && (ask.stood || (!whole && isFurtherUp(ask, entries)))) return []
    const next = lost ? followed(ask, repo, entries) : entries.slice(at + 1).find(divides)
    return [{ id, text, lost, entry: entries[at]?.id ?? null, before: next?.id ?? null, calm: CALM.includes(trouble.code), why: why(repo, trouble, lost) }]
  })
  const cut = cutShort(repo, entries).filter(({ entry }) => !own.some((ask) => ask.entry === entry))
  return [...cut, ...own]
}

/** The moment from which what is said comes after a question that isn't in the conversation. */
const overAt = ({ before, at, over }: Failed) => (before ? at : over)

/** What follows a question that isn't in the conversation. */
function followed(ask: Failed, repo: Repo, entries: readonly Entry[]): Entry | undefined {
  const { at, conversation } = ask
  const elsewhere = conversation != null && repo.conversation !== null && repo.conversation.id !== conversation
  if (elsewhere) return entries.find((entry) => isAfter(entry, at))
  // A turn that was in progress then isn't taken apart.
  return entries.find((entry) => divides(entry) && isAfter(entry, overAt(ask)))
}

function isFurtherUp(ask: Failed, entries: readonly Entry[]): boolean {
  const first = entries.find(({ at }) => at !== null)
  return first !== undefined && isAfter(first, overAt(ask))
}

const isAfter = (entry: Entry, moment: number) => entry.at !== null && Date.parse(entry.at) > moment

/** The questions in the conversation during which the agent was ended. */
function cutShort(repo: Repo, entries: readonly Entry[]): Unanswered[] {
  return entries.flatMap((question, at): Unanswered[] => {
    if (question.kind !== 'user' || !asks(question)) return []
    const rest = entries.slice(at + 1)
    const end = rest.findIndex(divides)
    const next = end < 0 ? null : (rest[end] ?? null)
    if (!cutOff(end < 0 ? rest : rest.slice(0, end))) return []
    const ended = next === null ? endedNow(repo, question) : endedBefore(next)
    if (!ended || isAskedAgain(question, rest)) return []
    const { shown, bytes } = question.text
    const whole = bytes <= new TextEncoder().encode(shown).length
    const { id } = question
    return [{ id, text: whole ? shown : null, lost: false, entry: id, before: next?.id ?? null, ...ended }]
  })
}

type Ended = Pick<Unanswered, 'calm' | 'why'>

/** How the agent ended during the last question in the conversation. Null: it didn't. */
function endedNow({ last }: Repo, { at }: Entry): Ended | null {
  if (!last || (at !== null && Date.parse(at) > Date.parse(last.at) + SLACK)) return null
  if (last.kind === 'paused') return { calm: true, why: CUT_BY_PAUSE }
  if (last.kind === 'stopped') return { calm: true, why: CUT_BY_STOP }
  return last.kind === 'ended' ? { calm: false, why: { title: null, words: last.sentence } } : null
}

/** The same once the agent was opened again, which names what was cut off. */
const endedBefore = (next: Entry): Ended | null =>
  next.kind === 'continuity' && next.continuity.interrupted.length > 0 ? { calm: true, why: CUT_BY_END } : null

const isAskedAgain = (question: Extract<Entry, { kind: 'user' }>, rest: readonly Entry[]) =>
  rest.some((entry) => entry.kind === 'user' && squeezed(entry.text.shown) === squeezed(question.text.shown))

/** The code of what can't be sent because another program has the conversation open. */
export const ELSEWHERE = 'owned_elsewhere'

/** The code of what a pause ended or prevents from being sent. */
const PAUSED = 'paused'
const CALM = [ELSEWHERE, PAUSED]
const CUT_BY_END = { title: 'Interrupted', words: 'The agent was ended before this was answered.' }
const CUT_BY_PAUSE = { title: 'Interrupted', words: 'The repo was paused before this was answered.' }
const CUT_BY_STOP = { title: 'Interrupted', words: 'The repo was stopped before this was answered.' }

/** The reason, if it still applies and isn't shown above the conversation, with the ways out. */
function why(repo: Repo, { code, title, message }: Trouble, lost: boolean): Unanswered['why'] {
  if (code === PAUSED) return lost ? { title: 'Not sent', words: 'A pause came before it.' } : CUT_BY_PAUSE
  if (code === ELSEWHERE) return { title: 'Not sent', words: repo.owner ? '' : 'Its conversation was open elsewhere.' }
  return { title, words: code === repo.trouble?.code ? 'It was not sent.' : message }
}

const asks = (entry: Entry) => entry.kind === 'user' && entry.author === 'person'

/** Whether something new begins with it: another question, or another life of the agent. */
const divides = (entry: Entry) => asks(entry) || entry.kind === 'continuity'

/** What stands in a conversation and answers no question. */
const ASIDE: readonly Entry['kind'][] = ['command', 'compacted']

/** Whether what follows a question has no end. */
function cutOff(after: readonly Entry[]): boolean {
  if (after.some(({ kind }) => kind === 'failed' || kind === 'interrupted')) return false
  const said = after.filter(({ kind }) => !ASIDE.includes(kind))
  // An engine that asks itself once it has answered begins another turn.
  const own = said.findIndex(({ kind }, at) => kind === 'user' && said[at - 1]?.kind === 'agent')
  return said[own < 0 ? said.length - 1 : own - 1]?.kind !== 'agent'
}

/** Whether the conversation itself shows the outcome, or the same was asked again. */
export function settled(ask: Failed, entries: readonly Entry[]): boolean {
  const at = taken(ask, entries)
  const said = entries[at]?.at ?? null
  if (at < 0) return false
  if (said !== null && Date.parse(said) > ask.over) return true
  const next = entries.findIndex((entry, place) => place > at && asks(entry))
  const after = entries.slice(at + 1, next < 0 ? entries.length : next)
  return after.some(({ kind }) => kind === 'failed' || kind === 'interrupted')
}

/** Those that ended without an answer, updated from the conversation. The same array if nothing is new. */
export function seen(failed: readonly Failed[], entries: readonly Entry[]): readonly Failed[] {
  const open = failed.filter((ask) => !settled(ask, entries))
  const news = open.filter((ask) => !ask.stood && taken(ask, entries) >= 0)
  if (open.length === failed.length && news.length === 0) return failed
  return open.map((ask) => (news.includes(ask) ? { ...ask, stood: true } : ask))
}

/** The age after which an ask doesn't matter after a reload, in milliseconds. */
const REMEMBERED = 24 * 3_600_000

/** A question in a conversation, which was dismissed. Its id alone may occur in other conversations too. */
export interface Away {
  conversation: string | null
  id: string
}

/** What to store across a reload. */
export interface Stored {
  sent: readonly Sent[]
  failed: readonly Failed[]
  away: readonly Away[]
}

/** The text to store. Null: there is nothing. */
export function written({ sent, failed, away }: Stored): string | null {
  // Whether an unanswered request was accepted is unknown after a reload; its text remains a draft until then.
  const told = sent.filter((ask) => !unanswered(ask))
  return told.length + failed.length + away.length === 0 ? null : JSON.stringify({ sent: told, failed, away })
}

/** What was stored that way. Null: nothing, or it can't be read. */
export function remembered(text: string | null, now: number): Stored | null {
  if (text === null) return null
  try {
    const { sent, failed, away } = JSON.parse(text) as Stored & { away?: Away[] }
    const young = ({ at }: Sent) => now - at < REMEMBERED
    return { sent: sent.filter(young).map((ask) => ({ ...ask, before: true as const })), failed: failed.filter(young), away: away ?? [] }
  } catch {
    return null
  }
}
