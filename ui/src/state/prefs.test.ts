// @vitest-environment jsdom
import { readFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { prefs } from './prefs.svelte'

const ahead = readFileSync('public/theme.js', 'utf8')
const root = document.documentElement

/** What the page looks like before it starts. */
function begins(): string | undefined {
  delete root.dataset['theme']
  new Function(ahead)()
  return root.dataset['theme']
}

beforeEach(() => localStorage.clear())

test('the chosen theme is there before the page is', () => {
  expect(begins()).toBe('system')
  for (const theme of ['dark', 'light', 'system'] as const) {
    prefs.theme = theme
    expect(begins()).toBe(theme)
  }
})
