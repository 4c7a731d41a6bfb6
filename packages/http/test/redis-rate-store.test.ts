import { randomUUID } from 'node:crypto'
import { createRateLimiter, parseRate } from '@quillgate/http'
import { createRedisRateStore } from '@quillgate/http/redis'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const url = process.env['QUILLGATE_TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379'

async function connect(): Promise<Redis | null> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 2000 })
  redis.on('error', () => {})
  return redis.connect().then(
    () => redis,
    () => null,
  )
}

describe('createRedisRateStore', async () => {
  const redis = await connect()
  if (!redis) {
    const required = process.env['QUILLGATE_REQUIRE_SERVICES'] === '1'
    it('needs Redis', (test) => {
      if (required) throw new Error(`Redis does not answer at ${url}`)
      test.skip(`Redis does not answer at ${url}`)
    })
    return
  }
  const prefix = `quillgate_test_${randomUUID()}`
  const clients = {
    ioredis: redis,
    // The package `redis` calls it this way; the answer is the server's own.
    redis: {
      isReady: true,
      eval: (script: string, { keys, arguments: args }: { keys: string[]; arguments: string[] }): Promise<unknown> =>
        redis.eval(script, keys.length, ...keys, ...args),
    },
  }

  beforeAll(async () => void (await redis.ping()))
  afterAll(async () => {
    const keys = await redis.keys(`${prefix}*`)
    if (keys.length > 0) await redis.del(...keys)
    redis.disconnect()
  })

  for (const [name, client] of Object.entries(clients)) {
    describe(`with a client of ${name}`, () => {
      const store = createRedisRateStore(client, { prefix: `${prefix}_${name}` })

      it('counts the hits of a key until its window ends', async () => {
        const first = await store.hit('a', 60)
        const second = await store.hit('a', 60)
        expect([first.count, second.count]).toEqual([1, 2])
        expect(first.resetAfter).toBeLessThanOrEqual(60_000)
        expect(second.resetAfter).toBeGreaterThan(0)
        expect(second.resetAfter).toBeLessThanOrEqual(first.resetAfter)
      })

      it('begins again after the window', async () => {
        await store.hit('b', 1)
        await expect.poll(() => redis.exists(`${prefix}_${name}:b`), { timeout: 5000 }).toBe(0)
        expect((await store.hit('b', 1)).count).toBe(1)
      })

      it('gives hits at once different counts', async () => {
        const windows = await Promise.all(Array.from({ length: 20 }, () => store.hit('c', 60)))
        expect(windows.map((window) => window.count).sort((a, b) => a - b)).toEqual(
          Array.from({ length: 20 }, (_, index) => index + 1),
        )
      })

      it('takes a hit back', async () => {
        await store.hit('e', 60)
        await store.takeBack('e', 60)
        expect((await store.hit('e', 60)).count).toBe(1)
      })

      it('limits what two processes let through together', async () => {
        const limiters = [createRateLimiter({ store }), createRateLimiter({ store })]
        const rate = parseRate('3/minute')
        const hits = Array.from({ length: 10 }, (_, index) => limiters[index % 2]?.consume('d', rate))
        const outcomes = await Promise.allSettled(hits)
        expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(3)
      })
    })
  }

  it('rejects at once while the connection is down, so that the limiter counts by itself', async () => {
    const closed = new Redis(url, { lazyConnect: true })
    await expect(createRedisRateStore(closed, { prefix }).hit('e', 60)).rejects.toThrow(/not ready/)
    closed.disconnect()
  })
})
