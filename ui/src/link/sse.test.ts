import { expect, it } from 'vitest'
import { Framing } from './sse'

it('reads messages wherever the chunks end', () => {
  const text = 'event: snapshot\nid: 0\ndata: {"a":1}\n\n:\n\ndata: x\r\ndata: y\r\n\r\n'
  for (let size = 1; size < text.length; size++) {
    const framing = new Framing()
    const messages = []
    for (let at = 0; at < text.length; at += size) messages.push(...framing.push(text.slice(at, at + size)))
    expect(messages.filter(({ data }) => data !== '')).toEqual([
      { event: 'snapshot', data: '{"a":1}' },
      { event: 'message', data: 'x\ny' },
    ])
  }
})
