import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRedisRateStore } from '@quillgate/server/redis'
import { rateStoreSuite } from '@quillgate/server/testing/suites'
import { Redis } from 'ioredis'
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
      eval: (
        script: string,
        { keys, arguments: args }: { keys: string[]; arguments: string[] },
      ): Promise<unknown> => redis.eval(script, keys.length, ...keys, ...args),
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
      const open = () => createRedisRateStore(client, { prefix: `${prefix}_${name}` })
      rateStoreSuite({ open: () => [open(), open()], pass: (seconds) => sleep(seconds * 1000) })
    })
  }

  it('rejects at once while the connection is down, so that the limiter counts by itself', async () => {
    const closed = new Redis(url, { lazyConnect: true })
    await expect(createRedisRateStore(closed, { prefix }).hit('e', 60)).rejects.toThrow(/not ready/)
    closed.disconnect()
  })
})
