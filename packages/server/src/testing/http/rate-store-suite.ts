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
  /** Lets time pass for the store: moves its clock forward, or waits. */
  pass(seconds: number): void | Promise<void>
}

/**
 * Defines the tests of the contract of rate stores. A window begins with the first hit and never
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
  describe('hits at once', () => concurrencyCases(open))
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
  it('count the hits of a key, in all processes together', async () => {
    const [one, other] = await open()
    const key = freshKey()
    const windows = [await hit(one, key, 60), await hit(other, key, 60), await hit(one, key, 60)]
    expect(windows.map(({ count }) => count)).toEqual([1, 2, 3])
    for (const { resetAfter } of windows) {
      expect(resetAfter).toBeGreaterThan(0)
      expect(resetAfter).toBeLessThanOrEqual(60_000)
    }
  })

  it('end on time, and later hits do not extend them', async () => {
    const [store] = await open()
    const key = freshKey()
    await hit(store, key, 2)
    await pass(1)
    expect((await hit(store, key, 2)).resetAfter).toBeLessThanOrEqual(1010)
    await pass(1.1)
    expect(await hit(store, key, 2)).toMatchObject({ count: 1 })
  })

  it('belong to one key each, for all characters in keys', async () => {
    const [store] = await open()
    const base = freshKey()
    const others = [`${base}A`, `${base}a`, `${base} `, `${base}'`, `${base}%`, `${base}_`].map(
      (key) => key.slice(-70),
    )
    for (const key of [base, ...others]) expect((await hit(store, key, 60)).count).toBe(1)
  })
}

function concurrencyCases(open: RateStoreFixture['open']): void {
  it('get different counts', async () => {
    const stores = await open()
    const key = freshKey()
    const hits = Array.from({ length: 40 }, (_, index) =>
      hit(stores[index % 2 === 0 ? 0 : 1], key, 60),
    )
    const counts = (await Promise.all(hits)).map(({ count }) => count).sort((a, b) => a - b)
    expect(counts).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
  })

  it('of many keys do not disturb each other', async () => {
    const [one, other] = await open()
    const names = Array.from({ length: 20 }, freshKey)
    await Promise.all(
      names.flatMap((key) => [hit(one, key, 60), hit(other, key, 60), hit(one, key, 60)]),
    )
    for (const key of names) expect((await hit(other, key, 60)).count).toBe(4)
  })

  it('allow no more than the limit', async () => {
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
