import { describe, expect, it } from 'vitest'
import { forEachConcurrently } from '../../src/media/for-each-concurrently.ts'

/** Counts up, and remembers how far it was asked and whether it was ended. */
class Numbers {
  read = 0
  closed = false
  readonly #end: number

  constructor(end: number) {
    this.#end = end
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<number> {
    try {
      while (this.read < this.#end) yield ++this.read
    } finally {
      this.closed = true
    }
  }
}

describe('forEachConcurrently', () => {
  it('works on all items, so many at once, and reads no further than that', async () => {
    const items = new Numbers(20)
    const done: number[] = []
    let [now, most, ahead] = [0, 0, 0]
    await forEachConcurrently(items, 4, async (n) => {
      most = Math.max(most, ++now)
      ahead = Math.max(ahead, items.read - done.length)
      await new Promise((resolve) => setImmediate(resolve))
      now--
      done.push(n)
    })
    expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    expect([most, items.closed]).toEqual([4, true])
    expect(ahead).toBeLessThanOrEqual(5)
  })

  it('ends with the first failure, when what is under way is done', async () => {
    const items = new Numbers(1000)
    const finished: number[] = []
    const failing = forEachConcurrently(items, 3, async (n) => {
      if (n === 5) throw new Error('five')
      await new Promise((resolve) => setImmediate(resolve))
      finished.push(n)
    })
    await expect(failing).rejects.toThrow('five')
    expect(items.closed).toBe(true)
    expect(items.read).toBeLessThan(20)
    expect(finished).toEqual(expect.arrayContaining([1, 2, 3, 4]))
  })

  it('takes a list, and begins nothing of it after a failure', async () => {
    const [begun, ended]: [number[], number[]] = [[], []]
    const all = forEachConcurrently([1, 2, 3, 4, 5], 2, async (item) => {
      begun.push(item)
      if (item === 1) throw new Error('first')
      await new Promise((resolve) => setImmediate(resolve))
      ended.push(item)
    })
    await expect(all).rejects.toThrow('first')
    expect(begun).toEqual([1, 2])
    expect(ended).toEqual([2])
    await forEachConcurrently([], 2, async () => expect.fail('There is nothing.'))
  })

  it('rejects when the items cannot be read', async () => {
    const broken = async function* (): AsyncGenerator<number> {
      yield 1
      throw new Error('no more')
    }
    await expect(forEachConcurrently(broken(), 2, async () => {})).rejects.toThrow('no more')
  })
})
