import { expect, it } from 'vitest'
import { matching } from './commands'

const commands = ['billing-service', 'Pause all', 'a-path', 'Resume all'].map((text) => ({
  id: text,
  text,
  hint: '',
  run: () => undefined,
}))
const found = (typed: string) => matching(commands, typed).map((command) => command.text)

it('beginnings first, then parts, then letters in order', () => {
  expect(found('pa')).toEqual(['Pause all', 'a-path'])
  expect(found('bs')).toEqual(['billing-service'])
  expect(found('')).toHaveLength(4)
  expect(found('zz')).toEqual([])
})
