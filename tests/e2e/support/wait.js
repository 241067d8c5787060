// Waiting for something to happen, never for time to pass.
import assert from 'node:assert/strict'

/** Far longer than anything takes on a busy machine, in milliseconds: only what is broken reaches it. */
export const PATIENCE = 60_000
const LOOK = 50

/** Checks again and again until something is found (neither undefined, null nor false), and returns it. */
export async function eventually(why, look, patience = PATIENCE) {
  const deadline = Date.now() + patience
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== null && found !== false) return found
    assert.ok(Date.now() < deadline, `waited ${patience / 1000} s for ${why}`)
    await new Promise((done) => setTimeout(done, LOOK))
  }
}

/** Checks for this long that something remains true: for what must *not* happen. */
export async function stays(why, span, holds) {
  const end = Date.now() + span
  while (Date.now() < end) {
    assert.ok(await holds(), `it did not stay so: ${why}`)
    await new Promise((done) => setTimeout(done, LOOK))
  }
}
