import { expect, it } from 'vitest'
import type { LogEntry } from '../wire/types'
import { told } from './recent'

const row = (kind: string, text: string, freed_bytes: number | null = null): LogEntry => ({ id: 1, at: '2026-01-01T10:00:00.000Z', kind, text, ask: null, code: null, freed_bytes })

it('a row says what memory came back, and whose words it has', () => {
  expect(told(row('paused', 'Paused.', 256e6))).toEqual({ said: false, words: 'Paused. Freed 256 MB.' })
  expect(told(row('waited', 'Waited for the permission to run `ls`.'))).toEqual({ said: false, words: 'Waited for the permission to run `ls`.' })
  expect(told(row('asked', 'why `?'))).toEqual({ said: true, words: 'Asked: why `?' })
})
