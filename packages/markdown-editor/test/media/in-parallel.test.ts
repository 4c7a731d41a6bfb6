import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { inParallel } from '../../src/media/in-parallel.ts'

it('does each item once, so many at once', async () => {
  let [running, most] = [0, 0]
  const results = await inParallel([1, 2, 3, 4, 5, 2, 1], 3, async (item) => {
    most = Math.max(most, ++running)
    await turn()
    running--
    return item * 10
  })
  expect(most).toBe(3)
  expect([...results].sort()).toEqual([1, 2, 3, 4, 5].map((item) => [item, item * 10]))
  expect(await inParallel([], 3, async () => 1)).toEqual(new Map())
})

it('begins nothing after a failure, waits for what is under way, and throws the first', async () => {
  const [begun, ended]: [number[], number[]] = [[], []]
  const all = inParallel([1, 2, 3, 4, 5], 2, async (item) => {
    begun.push(item)
    if (item === 1) throw new Error('first')
    await turn()
    ended.push(item)
  })
  await expect(all).rejects.toThrow('first')
  expect(begun).toEqual([1, 2])
  expect(ended).toEqual([2])
})
