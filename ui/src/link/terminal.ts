import type { Trouble } from '../wire/types'
import { Refused, send } from './http'

/** The first bytes of messages, as in the server's protocol. */
const FROM = { snapshot: 0, output: 1, ended: 2 } as const
const TO = { input: 0, ack: 1, resize: 2, report: 3 } as const

/** What is on the screen is acknowledged after at most this many bytes… */
const ACK_EVERY = 64 * 1024
/** …or milliseconds: a client that was too slow gets the screen again once all of it is acknowledged. */
const ACK_WITHIN = 40
/** A longer paste is sent in parts: the server accepts messages of up to 1 MiB. */
const PIECE = 256 * 1024
const RETRY_FIRST = 200
const RETRY_LONGEST = 1_000
/** A runner that has just started refuses for a moment: only this many refusals in a row count… */
const REFUSED_FROM = 4
/** …and after that the next attempt follows in this time, since the obstacle may disappear. */
const REFUSED_AGAIN = 5_000
/** The status of a request without an upgrade if a terminal could be attached. */
const UPGRADE_REQUIRED = 426
/** No server, no login, no obstacle: not a refusal of this terminal. */
const UNSAID = [0, 401, UPGRADE_REQUIRED]

export interface Screenlike {
  /** Writes bytes; `done` when they are on the screen. A snapshot begins with a reset. */
  write(bytes: Uint8Array, done: () => void): void
  size(): { cols: number; rows: number }
}

/** `ended`: this agent's terminal is over, and a new agent's is attached once there is one. `refused`: none can be now. */
export type TerminalNews =
  | { type: 'connecting' }
  | { type: 'open' }
  | { type: 'ended'; why: string }
  | { type: 'refused'; trouble: Trouble }

/** One repo's terminal. Reconnects until it is closed, and only to an agent that is open: it opens none. */
export class TerminalLink {
  #socket: WebSocket | undefined
  #closed = false
  /** What to show until it is open again: an end, or why it is refused. */
  #standing = false
  #refusals = 0
  #retry = RETRY_FIRST
  #timer: ReturnType<typeof setTimeout> | undefined
  #acking: ReturnType<typeof setTimeout> | undefined
  #written = 0
  #acked = 0

  constructor(
    readonly repo: string,
    readonly screen: Screenlike,
    readonly tell: (news: TerminalNews) => void,
  ) {}

  open(): void {
    const url = new URL(this.#path(), location.href)
    url.protocol = url.protocol.replace('http', 'ws')
    const socket = new WebSocket(url)
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    this.#written = 0
    this.#acked = 0
    if (!this.#standing) this.tell({ type: 'connecting' })
    let attached = false
    socket.onmessage = ({ data }) => {
      attached = true
      if (data instanceof ArrayBuffer) this.#message(socket, new Uint8Array(data))
    }
    socket.onclose = () => void this.#lost(socket, attached)
  }

  #path(): string {
    const { cols, rows } = this.screen.size()
    return `/api/repos/${encodeURIComponent(this.repo)}/terminal?cols=${cols}&rows=${rows}&scrollback=true&open=false`
  }

  /** What a person typed or pasted. */
  input(bytes: Uint8Array): void {
    this.#inPieces(TO.input, bytes)
  }

  /** What the terminal sends on its own. It doesn't count as anybody's action. */
  report(bytes: Uint8Array): void {
    this.#inPieces(TO.report, bytes)
  }

  resize(): void {
    const { cols, rows } = this.screen.size()
    const size = new DataView(new ArrayBuffer(4))
    size.setUint16(0, cols, true)
    size.setUint16(2, rows, true)
    this.#send(TO.resize, new Uint8Array(size.buffer))
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#acking)
    this.#socket?.close()
  }

  #message(socket: WebSocket, message: Uint8Array): void {
    const bytes = message.subarray(1)
    switch (message[0]) {
      case FROM.snapshot:
        this.#retry = RETRY_FIRST
        this.#standing = false
        this.#refusals = 0
        this.tell({ type: 'open' })
        return this.screen.write(bytes, () => this.#wrote(socket, bytes.length))
      case FROM.output:
        return this.screen.write(bytes, () => this.#wrote(socket, bytes.length))
      case FROM.ended:
        this.#standing = true
        return this.tell({ type: 'ended', why: new TextDecoder().decode(bytes) })
    }
  }

  #wrote(socket: WebSocket, bytes: number): void {
    if (socket !== this.#socket) return
    this.#written += bytes
    if (this.#written - this.#acked >= ACK_EVERY) this.#ack()
    else this.#acking ??= setTimeout(() => this.#ack(), ACK_WITHIN)
  }

  #ack(): void {
    clearTimeout(this.#acking)
    this.#acking = undefined
    if (this.#acked === this.#written) return
    this.#acked = this.#written
    const total = new DataView(new ArrayBuffer(8))
    total.setBigUint64(0, BigInt(this.#written), true)
    this.#send(TO.ack, new Uint8Array(total.buffer))
  }

  #inPieces(tag: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += PIECE) this.#send(tag, bytes.subarray(at, at + PIECE))
  }

  #send(tag: number, bytes: Uint8Array): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return
    const message = new Uint8Array(bytes.length + 1)
    message[0] = tag
    message.set(bytes, 1)
    this.#socket.send(message)
  }

  async #lost(socket: WebSocket, attached: boolean): Promise<void> {
    if (this.#closed || socket !== this.#socket) return
    if (!this.#standing) this.tell({ type: 'connecting' })
    const trouble = attached ? null : await this.#refusal()
    if (this.#closed || socket !== this.#socket) return
    this.#refusals = trouble ? this.#refusals + 1 : 0
    const refused = this.#refusals >= REFUSED_FROM
    if (trouble && refused) {
      this.#standing = true
      this.tell({ type: 'refused', trouble })
    }
    this.#timer = setTimeout(() => this.open(), refused ? REFUSED_AGAIN : this.#retry)
    this.#retry = Math.min(this.#retry * 2, RETRY_LONGEST)
  }

  /** A WebSocket doesn't say why it was refused, but a request does. Null: it isn't refused, or there is no answer. */
  async #refusal(): Promise<Trouble | null> {
    try {
      await send('GET', this.#path())
      return null
    } catch (error) {
      if (!(error instanceof Refused) || UNSAID.includes(error.status) || error.trouble.code === 'asleep') return null
      return error.trouble
    }
  }
}
