import { bytes } from '../parts/words'
import type { Budget, Trouble } from '../wire/types'

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Several after one another: `1h 30m`. The settings file takes months, years and microseconds too. */
const PIECE = /(\d+)\s*(msec|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)\s*/y
const WEEK = 7 * UNITS.d

/** The longest duration: nobody waits longer, and the server's numbers have a limit. */
const LONGEST = 100_000 * UNITS.d
const SHORTEST = UNITS.s

/** A duration as text, exact: `6h`, `90m`, `1500ms`. */
export function written(ms: number): string {
  const units = Object.entries(UNITS).toReversed()
  const [unit, size] = units.find(([, size]) => ms % size === 0) ?? ['ms', UNITS.ms]
  return `${ms / size}${unit}`
}

/** The milliseconds of a duration such as `6h`, `90 m` or `1h30m`. Null: it isn't one. */
export function milliseconds(text: string): number | null {
  const typed = text.trim()
  let [all, at] = [0, 0]
  while (at < typed.length) {
    PIECE.lastIndex = at
    const [piece, number, unit = ''] = PIECE.exec(typed) ?? []
    if (piece === undefined) return null
    all += Number(number) * size(unit)
    at += piece.length
  }
  return at === 0 ? null : all
}

const size = (unit: string) => (/^ms/.test(unit) ? UNITS.ms : unit.startsWith('w') ? WEEK : UNITS[unit.charAt(0) as keyof typeof UNITS])

/** What is wrong with a duration. Null: nothing. */
export function duration(text: string): string | null {
  const long = milliseconds(text)
  if (long === null) return 'Write whole numbers, each with s, m, h, d or w: 30m, 6h, 1d 12h.'
  if (long < SHORTEST) return 'That is too short: at least 1 s.'
  return long > LONGEST ? 'That is too long: at most 100,000 days.' : null
}

/** What is wrong with the two durations together, in milliseconds. */
export function clocks(idleAfter: number | null, resumeWithin: number | null): string | null {
  if (idleAfter === null || resumeWithin === null || idleAfter < resumeWithin) return null
  return 'Idle agents must be let go sooner than their conversations count as too old: otherwise each would start fresh.'
}

/** Why a change wasn't saved. `stands`: what is wrong with the settings' file, which is told in full above all of them. */
export const unsaved = ({ code, message }: Trouble, stands: Trouble | null) =>
  stands !== null && code === stands.code ? 'The file has to be mended first, as said above.' : message

/** A budget as text: `off`, `4.0 GB`, `50%`. */
export function budgetWritten(budget: Budget): string {
  if (budget.kind === 'off') return 'off'
  return budget.kind === 'share' ? `${budget.percent}%` : bytes(budget.bytes)
}

/** The budget in a text. Null: it isn't one. */
export function budgetRead(text: string): Budget | null {
  if (/^\s*off\s*$/i.test(text)) return { kind: 'off' }
  const share = /^\s*(\d{1,3}(?:\.\d+)?)\s*%\s*$/.exec(text)
  if (share) {
    const percent = Number(share[1])
    return percent > 0 && percent <= 100 ? { kind: 'share', percent } : null
  }
  const amount = /^\s*(\d+(?:\.\d+)?)\s*([MG])B\s*$/i.exec(text)
  if (!amount) return null
  const size = Math.round(Number(amount[1]) * (amount[2]?.toUpperCase() === 'G' ? 1e9 : 1e6))
  return size > 0 ? { kind: 'bytes', bytes: size } : null
}

/** What is wrong with a budget. Null: nothing. */
export function budget(text: string): string | null {
  return budgetRead(text) ? null : 'Write off, an amount such as 4 GB, or a share such as 50%.'
}

/** What is wrong with a number that may be `off`. Null: nothing. */
export function most(text: string): string | null {
  return /^\s*(off|[1-9]\d{0,3})\s*$/i.test(text) ? null : 'Write “off”, or a number.'
}
