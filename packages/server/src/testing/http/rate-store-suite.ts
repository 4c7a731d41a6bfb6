import { describe, expect, it } from 'vitest'
import type { RateStore } from '../../http/rate-limit/memory-rate-store.ts'
import { createRateLimiter, parseRate } from '../../http/rate-limit/rate-limit.ts'

async function hit(
  store: RateStore,
  key: string,
  seconds: number,
): Promise<{ count: number; resetAfter: number }> {
  const window = await store.penalty(key, 1, { customDuration: seconds })
  return { count: window.consumedPoints, resetAfter: window.msBeforeNext }
}

/** A store under test. */
export interface RateStoreFixture {
  /**
   * Opens the same store twice, like two processes. If the store is in the memory of a process,
   * returns one store twice.
   */
  open(): readonly [RateStore, RateStore] | Promise<readonly [RateStore, RateStore]>
  /** Moves the clock of the store forward, or waits. */
  pass(seconds: number): void | Promise<void>
}

/**
 * Defines the tests that every rate store must pass. A window begins with the first hit and never
 * moves. Concurrent hits get different counts. A hit that is subtracted does not count.
 *
 * @example
 * describe('RateLimiterPostgres', () => {
 *   const open = () => new RateLimiterPostgres({ storeClient: pool })
 *   rateStoreSuite({ open: () => [open(), open()], pass: (seconds) => sleep(seconds * 1000) })
 * })
 */
export function rateStoreSuite({ open, pass }: RateStoreFixture): void {
  describe('windows', () => windowCases({ open, pass }))
  describe('concurrent hits', () => concurrencyCases(open))
  describe('reward', () => {
    it('subtracts one hit', async () => {
      const [one, other] = await open()
      const key = freshKey()
      await hit(one, key, 60)
      await hit(one, key, 60)
      await other.reward(key, 1, { customDuration: 60 })
      expect((await hit(one, key, 60)).count).toBe(2)
    })
  })
}

let keys = 0
const freshKey = (): string => `60:suite-${++keys}-${Math.random().toString(36).slice(2)}`

function windowCases({ open, pass }: RateStoreFixture): void {
  it('counts the hits of a key in all processes', async () => {
    const [one, other] = await open()
    const key = freshKey()
    const windows = [await hit(one, key, 60), await hit(other, key, 60), await hit(one, key, 60)]
    expect(windows.map(({ count }) => count)).toEqual([1, 2, 3])
    for (const { resetAfter } of windows) {
      expect(resetAfter).toBeGreaterThan(0)
      expect(resetAfter).toBeLessThanOrEqual(60_000)
    }
  })

  it('ends a window on time, even if there are later hits', async () => {
    const [store] = await open()
    const key = freshKey()
    await hit(store, key, 2)
    await pass(1)
    expect((await hit(store, key, 2)).resetAfter).toBeLessThanOrEqual(1010)
    await pass(1.1)
    expect(await hit(store, key, 2)).toMatchObject({ count: 1 })
  })

  it('keeps separate windows for keys that differ in case, spaces or punctuation', async () => {
    const [store] = await open()
    const base = freshKey()
    const others = [`${base}A`, `${base}a`, `${base} `, `${base}'`, `${base}%`, `${base}_`].map(
      (key) => key.slice(-70),
    )
    for (const key of [base, ...others]) expect((await hit(store, key, 60)).count).toBe(1)
  })
}

function concurrencyCases(open: RateStoreFixture['open']): void {
  it('gives each hit a different count', async () => {
    const stores = await open()
    const key = freshKey()
    const hits = Array.from({ length: 40 }, (_, index) =>
      hit(stores[index % 2 === 0 ? 0 : 1], key, 60),
    )
    const counts = (await Promise.all(hits)).map(({ count }) => count).sort((a, b) => a - b)
    expect(counts).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
  })

  it('counts the hits of many keys separately', async () => {
    const [one, other] = await open()
    const names = Array.from({ length: 20 }, freshKey)
    await Promise.all(
      names.flatMap((key) => [hit(one, key, 60), hit(other, key, 60), hit(one, key, 60)]),
    )
    for (const key of names) expect((await hit(other, key, 60)).count).toBe(4)
  })

  it('allows no more hits than the limit', async () => {
    const limiters = (await open()).map((store) =>
      createRateLimiter({ store, key: Buffer.alloc(32), logger: console }),
    )
    const rate = parseRate('5/minute')
    const key = freshKey()
    const hits = Array.from({ length: 30 }, (_, index) => limiters[index % 2]?.consume(key, rate))
    const passed = (await Promise.allSettled(hits)).filter(({ status }) => status === 'fulfilled')
    expect(passed).toHaveLength(5)
  })
}
