import { expect, it } from 'vitest'
import { hold, repo } from '../../tests/repo'
import { report } from './report'

it('tells states and numbers, and neither words, names, paths nor ids of conversations', () => {
  const secret = 'SECRET'
  const text = report({
    status: null,
    checks: [{ name: 'disk', level: 'ok', code: null, sentence: secret, hints: [secret] }],
    diagnostics: null,
    totals: { live: 1, paused: 0, live_bytes: 5, freed_bytes: 0, gate: false },
    repos: [
      repo(secret, {
        state: 'working',
        branch: secret,
        conversation: { id: secret, last_activity: null, turns: 3, context_tokens: 9, transcript: secret },
        holds: [hold('process', { detail: `\`${secret}\``, subject: secret })],
        trouble: { code: 'stalled', title: '', message: secret, hints: [], severity: 'warning', about: null },
      }),
    ],
  })
  expect(text).not.toContain(secret)
  expect(text).toContain('"stalled"')
  expect(text).toContain('"process"')
})
