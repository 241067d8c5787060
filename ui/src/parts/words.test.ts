import { expect, it } from 'vitest'
import examples from '../../../src-tauri/core/src/words/bytes.txt?raw'
import { bytes, homeOf, sentence, tilde } from './words'

it('says bytes as the program does', () => {
  for (const example of examples.trim().split('\n')) {
    const [number, words] = example.split(' = ')
    expect(bytes(Number(number)), example).toBe(words)
  }
})

it('only the own home folder is written as ~', () => {
  const home = homeOf('/home/me/.config/repose/config.toml')
  expect(tilde('/home/me/code', home)).toBe('~/code')
  expect(tilde('/home/me', home)).toBe('~')
  expect(tilde('/home/melanie/code', home)).toBe('/home/melanie/code')
  expect(tilde('/home/other/code', home)).toBe('/home/other/code')
  expect(tilde('/root/code', homeOf('/root/.config/repose/config.toml'))).toBe('~/code')
  expect(tilde('/home/me/code', homeOf('/srv/repose/config.toml'))).toBe('/home/me/code')
})

it('a sentence begins large', () => {
  expect(sentence('its agent has ended.')).toBe('Its agent has ended.')
  expect(sentence('')).toBe('')
})
