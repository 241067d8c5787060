import type { Trouble } from '../wire/types'

/** An answer that is an error, with hints. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly trouble: Trouble,
  ) {
    super(trouble.message)
  }
}

const GONE: Trouble = {
  code: 'runner_not_running',
  title: 'Not running',
  message: "Repose doesn't answer. Nothing was changed, and what you typed is kept.",
  hints: ['If it stays away, start it with `repose serve`.'],
  severity: 'error',
  about: null,
}

/** Says something helpful about an answer without the server's own words. */
function unspoken(status: number): Trouble {
  return {
    code: `http_${status}`,
    title: 'Unexpected answer',
    message: `Repose answered ${status} and gave no reason.`,
    hints: ['Try again; if it stays so, `repose doctor` looks for the cause.'],
    severity: 'error',
    about: null,
  }
}

/** The trouble in an unsuccessful answer. */
export async function refusal(response: Response): Promise<Refused> {
  const body = (await response.json().catch(() => null)) as { error?: Partial<Trouble> } | null
  const error = body?.error
  if (!error?.message) return new Refused(response.status, unspoken(response.status))
  const { message } = error
  return new Refused(response.status, { code: 'internal', title: 'Refused', hints: [], severity: 'error', about: null, ...error, message })
}

/** Sends a request. Throws {@link Refused} for every unsuccessful answer, and if there is none. */
export async function send(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<unknown> {
  const request: RequestInit = { method, credentials: 'same-origin', headers: { Accept: 'application/json' } }
  if (body instanceof Blob) {
    request.body = body
    request.headers = { ...request.headers, 'Content-Type': body.type }
  } else if (body !== undefined) {
    request.body = JSON.stringify(body)
    request.headers = { ...request.headers, 'Content-Type': 'application/json' }
  }
  if (signal) request.signal = signal
  let response: Response
  try {
    response = await fetch(path, request)
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Refused(0, GONE)
  }
  if (!response.ok) throw await refusal(response)
  return response.status === 204 ? null : ((await response.json()) as unknown)
}

/** The trouble in anything that was thrown. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof Refused) return error.trouble
  return { ...unspoken(0), message: error instanceof Error ? error.message : String(error) }
}
