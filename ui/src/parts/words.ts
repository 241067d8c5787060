// Numbers and times as people say them.

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `266 MB`, `1.2 GB`: decimal, as in system monitors, and rounded as in the program's own sentences. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} bytes`
  if (count < 999_500) return `${Math.round(count / 1000)} kB`
  if (count < 999_500_000) return `${Math.round(count / 1_000_000)} MB`
  const tenths = Math.round(count / 100_000_000)
  return tenths < 1000 ? `${Math.floor(tenths / 10)}.${tenths % 10} GB` : `${Math.round(count / 1_000_000_000)} GB`
}

/** `840`, `12k`, `1.2M`. */
export function tokens(count: number): string {
  if (count < 1000) return String(count)
  if (count < 999_500) return `${count < 9950 ? (count / 1000).toFixed(1).replace('.0', '') : Math.round(count / 1000)}k`
  return `${(count / 1_000_000).toFixed(1).replace('.0', '')}M`
}

/** `2 s`, `3 min`, `7 h`, `9 days`: rounded as in the program's own sentences. */
export function span(ms: number): string {
  const rounded = (unit: number) => Math.round(Math.max(0, ms) / unit)
  if (rounded(SECOND) < 60) return `${rounded(SECOND)} s`
  if (rounded(MINUTE) < 60) return `${rounded(MINUTE)} min`
  if (rounded(HOUR) < 48) return `${rounded(HOUR)} h`
  return `${rounded(DAY)} days`
}

/** For how long something has lasted by now: `for 3 min`. */
export function lasts(since: string, now: number): string {
  const ms = now - Date.parse(since)
  return ms < SECOND ? 'now' : `for ${span(ms)}`
}

/** `just now`, `3 min ago`. */
export function ago(time: string, now: number): string {
  const ms = now - Date.parse(time)
  return ms < MINUTE ? 'just now' : `${span(ms)} ago`
}

/** `in 5 h`; a past moment is `now`. */
export function until(time: string, now: number): string {
  const ms = Date.parse(time) - now
  return ms < MINUTE ? 'any moment now' : `in ${span(ms)}`
}

/** `14:02`, with the date unless it is today. */
export function clock(time: string, now: number): string {
  const date = new Date(time)
  const hours = date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
  if (date.toDateString() === new Date(now).toDateString()) return hours
  const year = date.getFullYear() === new Date(now).getFullYear() ? {} : ({ year: 'numeric' } as const)
  return `${date.toLocaleDateString(undefined, { day: 'numeric', month: 'short', ...year })}, ${hours}`
}

/** The full date and time, for a tooltip. */
export function moment(time: string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'medium' })
}

/** A path with `~` for the home folder, as in shells. If that is unknown, the path stays as it is. */
export function tilde(path: string, home: string | null): string {
  return home !== null && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path
}

/** The home folder that contains a path, by the systems' conventions. Null: none. */
export function homeOf(path: string): string | null {
  return /^(?:\/(?:home|Users)\/[^/]+|\/root)(?=\/|$)/.exec(path)?.[0] ?? null
}

/** A sentence with its first letter in upper case. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** At most this many characters of a text, with an ellipsis if there are more. */
export const shortened = (text: string, most: number) => (text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`)

/** How many turns, in words. Null: that isn't known. */
export const turns = (number: number | null) => (number === null ? null : count(number, 'turn'))

/** `1 turn`, `4 turns`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${plural(number, one, many)}`
}

/** What goes with a number, without it: `is`, `are`. */
export const plural = (number: number, one: string, many: string) => (number === 1 ? one : many)
