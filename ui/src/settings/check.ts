const UNITS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** The seconds of a duration such as `6h` or `90 m`. Null: it is none. */
export function seconds(text: string): number | null {
  const read = /^\s*(\d{1,6})\s*([smhd])\s*$/.exec(text)
  const unit = UNITS[read?.[2] ?? '']
  return read && unit ? Number(read[1]) * unit : null
}

/** What is wrong with a duration; null: nothing. */
export function duration(text: string): string | null {
  const long = seconds(text)
  if (long === null) return 'Write a number and a unit: 30m, 6h, 4d.'
  return long === 0 ? 'It has to be longer than nothing.' : null
}

/** `off`, an amount of memory, or a share of it. */
export function budget(text: string): string | null {
  if (/^\s*off\s*$/i.test(text)) return null
  const share = /^\s*(\d{1,3})\s*%\s*$/.exec(text)
  if (share) return Number(share[1]) > 0 && Number(share[1]) <= 100 ? null : 'A share goes from 1% to 100%.'
  return /^\s*\d+(\.\d+)?\s*[MG]B\s*$/i.test(text) ? null : 'Write off, an amount such as 4 GB, or a share such as 50%.'
}

/** `off` or a number. */
export function most(text: string): string | null {
  return /^\s*(off|[1-9]\d{0,3})\s*$/i.test(text) ? null : 'Write off or a number.'
}

/** What is wrong with the two clocks together. */
export function clocks(idleAfter: string, resumeWithin: string): string | null {
  const [idle, window] = [seconds(idleAfter), seconds(resumeWithin)]
  if (idle === null || window === null || idle < window) return null
  return 'Idle agents must be let go sooner than their conversations count as too old: otherwise each would start fresh.'
}
