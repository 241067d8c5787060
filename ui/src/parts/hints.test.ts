import { expect, it } from 'vitest'
import { onPage } from './hints'

it.each([
  [['Lift it: `repose resume --all`.'], ['Lift it.']],
  [['Check it: `repose doctor`.'], ['Check it in Diagnostics.']],
  [['Try again; if it stays so, `repose doctor` looks for the cause.'], ['Try again; if it stays so, Diagnostics looks for the cause.']],
  [['Look at its terminal: `repose open work`.', 'Then ask again.'], ['Look at its terminal.', 'Then ask again.']],
  [['If it stays away, start it with `repose serve`.'], ['If it stays away, start it with `repose serve`.']],
  [['`GET /api/openapi.json` describes this API.', 'Or leave an ask for later: `repose ask --queue work "…"`.'], []],
])('a hint on the page names no command that the page has a place for', (hints, shown) => {
  expect(onPage(hints, false)).toEqual(shown)
})

it('buttons say by themselves what they do', () => {
  expect(onPage(['End it for good: `repose stop work`.', 'It was left alone.'], true)).toEqual(['It was left alone.'])
})
