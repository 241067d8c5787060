// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from 'vitest'
import { watchFolds } from './folds'

let scroller: HTMLElement
let fold: HTMLDetailsElement
let said: unknown[]
let end: () => void

const box = (one: Element, top: number, height: number) => {
  one.getBoundingClientRect = () => ({ top, bottom: top + height, height }) as DOMRect
}

beforeEach(() => {
  document.body.innerHTML = '<div><details><summary><b>Bash</b></summary><pre>all of it</pre></details></div>'
  scroller = document.querySelector('div') as HTMLElement
  fold = document.querySelector('details') as HTMLDetailsElement
  box(scroller, 100, 500)
  said = []
  end = watchFolds(scroller, { pressed: () => said.push('pressed'), opened: (by) => said.push(by), closed: () => said.push('closed') })
})

/** Presses its head, which is there, and of which so much is below it once it is open. */
async function press(top: number, below: number) {
  const head = fold.querySelector('summary') as HTMLElement
  box(head, top, 20)
  box(fold, top, 20 + below)
  head.querySelector('b')?.click()
  await vi.waitFor(() => expect(said.length % 2).toBe(0))
}

it('what is opened stays in its place if enough of it is in view, and else moves up as far as its head', async () => {
  await press(300, 5_000)
  await press(300, 5_000)
  expect(said).toEqual(['pressed', 0, 'pressed', 'closed'])
  said = []
  // At the end of the view there is room for nothing: 40 % of it show, or all if that is less.
  await press(570, 5_000)
  await press(570, 5_000)
  await press(570, 60)
  expect(said).toEqual(['pressed', 190, 'pressed', 'closed', 'pressed', 50])
})

it('what is pressed within a fold, and anything once that has ended, is no matter', () => {
  fold.querySelector('pre')?.click()
  end()
  fold.querySelector('summary')?.click()
  expect(said).toEqual([])
})
