import { expect, test } from 'vitest'
import { InTurn } from './in-turn'

test('an order that is given before the last one is answered waits for it, and is carried out', async () => {
  const turn = new InTurn<string>()
  const done: string[] = []
  let answer = (): void => undefined
  const pause = turn.run('pause', async () => {
    await new Promise<void>((resolve) => (answer = resolve))
    done.push('pause')
  })
  const resume = turn.run('resume', async () => done.push('resume'))
  await Promise.resolve()
  expect(done).toEqual([])
  answer()
  await Promise.all([pause, resume])
  expect(done).toEqual(['pause', 'resume'])
})

test('the same word twice is one order, and a later one is another', async () => {
  const turn = new InTurn<string>()
  let count = 0
  const order = async (): Promise<number> => ++count
  const both = await Promise.all([turn.run('pause', order), turn.run('pause', order)])
  expect(both).toEqual([1, null])
  expect(await turn.run('pause', order)).toBe(2)
})

test('one that fails says so to who gave it, and keeps nobody from the next', async () => {
  const turn = new InTurn<string>()
  const fails = turn.run('pause', () => Promise.reject(new Error('refused')))
  const next = turn.run('resume', async () => 'done')
  await expect(fails).rejects.toThrow('refused')
  expect(await next).toBe('done')
})
