export interface Message {
  event: string
  data: string
}

/** Splits a text/event-stream into messages, wherever the chunks end. Comments become messages without data. */
export class Framing {
  #rest = ''

  push(chunk: string): Message[] {
    this.#rest = (this.#rest + chunk).replaceAll('\r\n', '\n')
    const messages: Message[] = []
    for (let end = this.#rest.indexOf('\n\n'); end >= 0; end = this.#rest.indexOf('\n\n')) {
      messages.push(read(this.#rest.slice(0, end)))
      this.#rest = this.#rest.slice(end + 2)
    }
    return messages
  }
}

function read(block: string): Message {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') event = value
    else if (field === 'data') data.push(value)
  }
  return { event, data: data.join('\n') }
}
