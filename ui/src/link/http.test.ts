import { expect, it } from 'vitest'
import { refusal } from './http'

it('a refusal keeps all that the server says of it, and is told in words without', async () => {
  const error = { code: 'work_would_be_lost', title: 'Work', message: 'A turn.', hints: ['Wait.'], severity: 'warning', work: 'turn 1', about: null }
  expect(await refusal(Response.json({ error }, { status: 409 }))).toMatchObject({ status: 409, trouble: error })
  expect((await refusal(Response.json({ error: { message: 'Why.' } }, { status: 400 }))).trouble).toMatchObject({ code: 'internal', message: 'Why.' })
  expect((await refusal(new Response('<html>', { status: 502 }))).trouble.message).toContain('502')
})
