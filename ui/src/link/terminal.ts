/** First bytes of messages, as the server's wire says. */
const FROM = { snapshot: 0, output: 1, ended: 2 } as const
const TO = { input: 0, ack: 1, resize: 2, report: 3 } as const

/** What is on the screen is acknowledged at the latest after so many bytes… */
const ACK_EVERY = 64 * 1024
/** …or milliseconds: a client that was too fast gets the screen anew once all of it is acknowledged. */
const ACK_WITHIN = 40
/** A longer paste goes in pieces: the server takes messages of up to 1 MiB. */
const PIECE = 256 * 1024
const RETRY_FIRST = 200
const RETRY_LONGEST = 1_000

export interface Screenlike {
  /** Writes bytes; `done` when they are on the screen. A snapshot's begin with a reset of their own. */
  write(bytes: Uint8Array, done: () => void): void
  size(): { cols: number; rows: number }
}

export type TerminalNews = { type: 'connecting' } | { type: 'open' } | { type: 'ended'; why: string }

/** One terminal's connection. Reconnects until closed, or told that the terminal is over. */
export class TerminalLink {
  #socket: WebSocket | undefined
  #closed = false
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
    const { cols, rows } = this.screen.size()
    const path = `/api/repos/${encodeURIComponent(this.repo)}/terminal?cols=${cols}&rows=${rows}&scrollback=true`
    const url = new URL(path, location.href)
    url.protocol = url.protocol.replace('http', 'ws')
    const socket = new WebSocket(url)
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    this.#written = 0
    this.#acked = 0
    this.tell({ type: 'connecting' })
    socket.onmessage = ({ data }) => {
      if (data instanceof ArrayBuffer) this.#message(socket, new Uint8Array(data))
    }
    socket.onclose = () => this.#lost(socket)
  }

  /** What a person typed or pasted. */
  input(bytes: Uint8Array): void {
    this.#inPieces(TO.input, bytes)
  }

  /** What the terminal says by itself. It counts as nobody's doing. */
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
        this.tell({ type: 'open' })
        return this.screen.write(bytes, () => this.#wrote(socket, bytes.length))
      case FROM.output:
        return this.screen.write(bytes, () => this.#wrote(socket, bytes.length))
      case FROM.ended:
        this.#closed = true
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

  #lost(socket: WebSocket): void {
    if (this.#closed || socket !== this.#socket) return
    this.tell({ type: 'connecting' })
    this.#timer = setTimeout(() => this.open(), this.#retry)
    this.#retry = Math.min(this.#retry * 2, RETRY_LONGEST)
  }
}
