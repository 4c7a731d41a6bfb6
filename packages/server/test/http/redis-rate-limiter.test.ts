import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { rateStoreSuite } from '@quillgate/server/testing/suites'
import { Redis } from 'ioredis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const url = process.env['QUILLGATE_TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379'

async function connect(): Promise<Redis | null> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: 2000,
  })
  redis.on('error', () => {})
  return redis.connect().then(
    () => redis,
    () => null,
  )
}

describe('a rate limiter in Redis', async () => {
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
  const open = (client = redis): RateLimiterRedis =>
    new RateLimiterRedis({
      storeClient: client,
      keyPrefix: prefix,
      points: 1,
      duration: 1,
      rejectIfRedisNotReady: true,
    })

  beforeAll(async () => void (await redis.ping()))
  afterAll(async () => {
    const keys = await redis.keys(`${prefix}*`)
    if (keys.length > 0) await redis.del(...keys)
    redis.disconnect()
  })

  rateStoreSuite({ open: () => [open(), open()], pass: (seconds) => sleep(seconds * 1000) })

  it('rejects immediately while the connection is down, so that the limiter counts in memory', async () => {
    const closed = new Redis(url, { lazyConnect: true })
    await expect(open(closed).penalty('e', 1, { customDuration: 60 })).rejects.toThrow(/not ready/)
    closed.disconnect()
  })
})
