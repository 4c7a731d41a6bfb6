import { ConfigurationError } from '@quillgate/server/core'
import { parseRate, type RateLimiter, type RateStore } from '@quillgate/server/http'
import { rateStoreSuite } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryRateStore } from '../../src/http/rate-limit/memory-rate-store.ts'
import { createRateLimiter } from '../../src/http/rate-limit/rate-limit.ts'

function fakeClock(): { now: () => number; advance(ms: number): void } {
  let now = Date.UTC(2026, 10, 21)
  return {
    now: () => now,
    advance(ms) {
      now += ms
    },
  }
}

function limiterWith(options: Partial<Parameters<typeof createRateLimiter>[0]> = {}): RateLimiter {
  return createRateLimiter({ key: Buffer.alloc(32), logger: { warn: () => {} }, ...options })
}

const outcome = (hit: Promise<void>): Promise<unknown> =>
  hit.then(() => 'passed').catch((error: unknown) => error)

describe('parseRate', () => {
  it.each([
    ['5/minute', { limit: 5, seconds: 60 }],
    ['1/second', { limit: 1, seconds: 1 }],
    ['1000/hour', { limit: 1000, seconds: 3600 }],
    [null, null],
  ])('reads %j', (text, rate) => {
    expect(parseRate(text)).toEqual(rate)
  })

  it.each([
    '',
    '5',
    '0/minute',
    '-1/minute',
    '5/day',
    '5 / minute',
    '1.5/minute',
    '5/minutes',
    '5/MINUTE',
    '1e3/hour',
    5,
    undefined,
    {},
  ])('rejects %j and names the setting', (value) => {
    const parse = (): unknown => parseRate(value as string, 'loginRateLimit')
    expect(parse).toThrow(ConfigurationError)
    expect(parse).toThrow(/^loginRateLimit must be a rate/)
  })
})

describe('RateLimiter.consume', () => {
  const rate = parseRate('2/minute')

  it('allows hits up to the limit, then throws 429 with retry-after', async () => {
    const clock = fakeClock()
    const limiter = limiterWith({ clock: clock.now })
    await limiter.consume('a', rate)
    clock.advance(10_500)
    await limiter.consume('a', rate)
    expect(await outcome(limiter.consume('a', rate))).toMatchObject({
      status: 429,
      code: 'rate_limited',
      headers: { 'retry-after': '50' },
    })
  })

  it('allows hits again after the window, which later hits do not extend', async () => {
    const clock = fakeClock()
    const limiter = limiterWith({ clock: clock.now })
    for (let hit = 0; hit < 5; hit++) await outcome(limiter.consume('a', rate))
    clock.advance(59_999)
    expect(await outcome(limiter.consume('a', rate))).toMatchObject({
      headers: { 'retry-after': '1' },
    })
    clock.advance(1)
    expect(await outcome(limiter.consume('a', rate))).toBe('passed')
  })

  it('allows hits again after the clock was set back', async () => {
    const clock = fakeClock()
    const limiter = limiterWith({ clock: clock.now })
    for (let hit = 0; hit < 6; hit++) await outcome(limiter.consume('a', rate))
    clock.advance(-86_400_000)
    expect(await outcome(limiter.consume('a', rate))).toBe('passed')
  })

  it('counts every key and every rate separately', async () => {
    const limiter = limiterWith({ clock: fakeClock().now })
    const once = parseRate('1/minute')
    for (const key of ['a', 'b', 'a:b', ''])
      expect(await outcome(limiter.consume(key, once))).toBe('passed')
    expect(await outcome(limiter.consume('a', parseRate('1/hour')))).toBe('passed')
  })

  it('allows every hit without a rate', async () => {
    const limiter = limiterWith()
    for (let hit = 0; hit < 100; hit++) await limiter.consume('a', null)
  })

  it('rejects concurrent hits above the limit', async () => {
    const limiter = limiterWith()
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => outcome(limiter.consume('a', rate))),
    )
    expect(outcomes.filter((one) => one === 'passed')).toHaveLength(2)
  })

  it('passes hashed keys of a fixed length to stores', async () => {
    const keys: string[] = []
    const store: RateStore = {
      async penalty(key) {
        keys.push(key)
        return { consumedPoints: 1, msBeforeNext: 1 }
      },
      async reward(key) {
        keys.push(key)
      },
    }
    const limiter = limiterWith({ store })
    for (const key of ['ada', 'x'.repeat(1_000_000), '\0\n', 'ü']) {
      await limiter.consume(key, rate)
      await limiter.forgive(key, rate)
    }
    expect(new Set(keys).size).toBe(4)
    for (const key of keys) expect(key).toMatch(/^2\/60:[A-Za-z0-9_-]{43}$/)
  })

  it('hashes the keys for stores with the key of the limiter', async () => {
    const keysWith = async (secret: string): Promise<string[]> => {
      const keys: string[] = []
      const penalty = async (key: string) => {
        keys.push(key)
        return { consumedPoints: 1, msBeforeNext: 1 }
      }
      const limiter = limiterWith({
        key: Buffer.from(secret),
        store: { penalty, reward: async (key) => void keys.push(key) },
      })
      await limiter.consume('203.0.113.7', rate)
      await limiter.forgive('203.0.113.7', rate)
      return keys
    }
    const [keys, others] = [await keysWith('k'.repeat(32)), await keysWith('l'.repeat(32))]
    expect(keys[0]).toBe(keys[1])
    expect(others[0]).not.toBe(keys[0])
  })

  it('counts in memory while the store fails, and logs one warning', async () => {
    const failure = new Error('ECONNREFUSED')
    const warn = vi.fn()
    const fail = (): Promise<never> => Promise.reject(failure)
    const limiter = limiterWith({ store: { penalty: fail, reward: fail }, logger: { warn } })
    expect(await outcome(limiter.consume('a', rate))).toBe('passed')
    expect(await outcome(limiter.consume('a', rate))).toBe('passed')
    expect(await outcome(limiter.consume('a', rate))).toMatchObject({ code: 'rate_limited' })
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining('each process counts its own requests'), failure],
    ])
  })
})

describe('the log of a rate limiter', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('has at most one warning a minute about a store that fails repeatedly', async () => {
    const warn = vi.fn()
    let calls = 0
    const penalty = async () => {
      if (calls++ % 2 === 0) throw new Error('ECONNRESET')
      return { consumedPoints: 1, msBeforeNext: 1 }
    }
    const limiter = limiterWith({ store: { penalty, reward: penalty }, logger: { warn } })
    const rate = parseRate('1000/minute')
    for (let hit = 0; hit < 20; hit++) await limiter.consume('a', rate)
    expect(warn).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(60_000)
    for (let hit = 0; hit < 20; hit++) await limiter.consume('a', rate)
    expect(warn).toHaveBeenCalledTimes(2)
  })
})

describe('RateLimiter.forgive', () => {
  const rate = parseRate('2/minute')

  it('subtracts one hit', async () => {
    const clock = fakeClock()
    const limiter = limiterWith({ clock: clock.now })
    for (let hit = 0; hit < 10; hit++) {
      await limiter.consume('a', rate)
      await limiter.forgive('a', rate)
    }
    await limiter.consume('a', rate)
    await limiter.consume('a', rate)
    expect(await outcome(limiter.consume('a', rate))).toMatchObject({ code: 'rate_limited' })
  })

  it('never allows more than the limit, and does nothing without a rate', async () => {
    const limiter = limiterWith()
    for (let hit = 0; hit < 10; hit++) await limiter.forgive('a', rate)
    await limiter.forgive('a', null)
    await limiter.consume('a', rate)
    await limiter.forgive('a', rate)
    await limiter.forgive('a', rate)
    await limiter.consume('a', rate)
    await limiter.consume('a', rate)
    expect(await outcome(limiter.consume('a', rate))).toMatchObject({ code: 'rate_limited' })
  })
})

async function hit(store: RateStore, key: string, seconds: number): Promise<number> {
  return (await store.penalty(key, 1, { customDuration: seconds })).consumedPoints
}

describe('createMemoryRateStore', () => {
  const suiteClock = fakeClock()
  const suiteStore = createMemoryRateStore({ clock: suiteClock.now })
  rateStoreSuite({
    open: () => [suiteStore, suiteStore],
    pass: (seconds) => suiteClock.advance(seconds * 1000),
  })

  it('keeps at most the maximum number of keys, and removes the oldest', async () => {
    const store = createMemoryRateStore({ clock: fakeClock().now, maxKeys: 24 })
    for (const key of ['a', 'b', 'c', 'd']) await hit(store, key, 60)
    expect(await hit(store, 'd', 60)).toBe(2)
    expect(await hit(store, 'b', 60)).toBe(2)
    expect(await hit(store, 'a', 60)).toBe(1)
  })

  it('keeps the count of a key through a flood of new keys', async () => {
    const store = createMemoryRateStore({ clock: fakeClock().now, maxKeys: 100 })
    for (let round = 0; round < 20; round++) await hit(store, 'account', 60)
    for (let index = 0; index < 10_000; index++) await hit(store, `flood ${index}`, 60)
    expect(await hit(store, 'account', 60)).toBe(21)
  })

  it('counts a new key even if the memory is full of higher counts', async () => {
    const store = createMemoryRateStore({ clock: fakeClock().now, maxKeys: 100 })
    for (let round = 0; round < 4; round++)
      for (let index = 0; index < 100; index++) await hit(store, `full ${index}`, 60)
    const counts: number[] = []
    for (let round = 0; round < 20; round++) {
      counts.push(await hit(store, 'account', 60))
      for (let index = 0; index < 3; index++) await hit(store, `flood ${round} ${index}`, 60)
    }
    expect(counts.at(-1)).toBe(20)
  })

  it('removes expired windows before open ones', async () => {
    const clock = fakeClock()
    const store = createMemoryRateStore({ clock: clock.now, maxKeys: 800 })
    for (let round = 0; round < 2; round++)
      for (let index = 0; index < 80; index++) await hit(store, `over ${index}`, 60)
    clock.advance(60_000)
    for (let index = 0; index < 80; index++) await hit(store, `living ${index}`, 60)
    for (let index = 0; index < 80; index++) expect(await hit(store, `living ${index}`, 60)).toBe(2)
  })

  it('continues after a subtracted hit, and never counts below 0', async () => {
    const store = createMemoryRateStore({ clock: fakeClock().now, maxKeys: 16 })
    await hit(store, 'a', 60)
    for (let i = 0; i < 3; i++) await store.reward('a', 1, { customDuration: 60 })
    await store.reward('unknown', 1, { customDuration: 60 })
    for (const count of [1, 2, 3, 4]) expect(await hit(store, 'a', 60)).toBe(count)
    await store.reward('a', 1, { customDuration: 60 })
    expect(await hit(store, 'a', 60)).toBe(4)
  })

  it('keeps a key with a new hit while older keys are removed', async () => {
    const clock = fakeClock()
    const store = createMemoryRateStore({ clock: clock.now, maxKeys: 16 })
    await hit(store, 'a', 1)
    await hit(store, 'b', 60)
    clock.advance(2000)
    await hit(store, 'a', 60)
    await hit(store, 'c', 60)
    expect(await hit(store, 'a', 60)).toBe(2)
  })
})
