// @vitest-environment jsdom
import { expect, it, vi } from 'vitest'
import { fit } from './grow'

it('a field grows with its text where the browser doesn’t see to that', () => {
  const field = document.createElement('textarea')
  Object.defineProperty(field, 'scrollHeight', { value: 120 })
  fit(field)
  expect(field.style.height).toBe('120px')
  field.style.height = ''
  vi.stubGlobal('CSS', { supports: () => true })
  fit(field)
  expect(field.style.height).toBe('')
  vi.unstubAllGlobals()
})
