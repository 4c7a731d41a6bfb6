import { randomUUID } from 'node:crypto'
import type { RateStore } from '@quillgate/server/http'
import { sqliteEngine } from '@quillgate/server/testing'
import { Redis } from 'ioredis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMemoryRateStore } from '../../../server/src/http/rate-limit/memory-rate-store.ts'
import { BearerClient } from '../support/client.ts'
import type { TestDevices } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

interface OpenStore {
  /** The stores of the rate limits, one for each node. */
  readonly stores: readonly [RateStore, RateStore]
  close(): Promise<void>
}

const WRONG = 'wrong'

function underAttack(name: string, open: () => Promise<OpenStore>): void {
  describe(`an account under attack, counted in ${name}`, () => {
    let house: House
    let opened: OpenStore
    let nodes: readonly [TestDevices, TestDevices]
    beforeAll(async () => {
      house = await openHouse(sqliteEngine())
      opened = await open()
      const node = (store: RateStore) =>
        house.reopenWith({ rateLimiter: store, settings: { loginRateLimit: '5/hour' } })
      nodes = [node(opened.stores[0]), node(opened.stores[1])]
    })
    afterAll(async () => {
      await opened.close()
      await house.close()
    })

    it('accepts the devices of its owner and no others, on both nodes', async () => {
      const [one, other] = nodes
      const living = new BearerClient(one, '203.0.113.10')
      const signedOut = new BearerClient(other, '203.0.113.20')
      const distrusted = new BearerClient(one, '203.0.113.30')
      for (const client of [living, signedOut, distrusted])
        expect((await client.login()).status).toBe(200)
      await signedOut.send('POST', '/trusted-devices/logout')
      await one.registry.revoke('1', distrusted.uid)

      const guesses = Array.from({ length: 200 }, async (_, index) => {
        const attacker = new BearerClient(nodes[index % 2 === 0 ? 0 : 1], `198.51.100.${index}`)
        return (await attacker.login('ada', WRONG)).status
      })
      const statuses = await Promise.all(guesses)
      expect(statuses.filter((status) => status === 401)).toHaveLength(100)
      expect(statuses.filter((status) => status === 429)).toHaveLength(100)

      // The account is locked for strangers. The correct password and a distrusted credential do
      // not help.
      expect((await new BearerClient(one, '192.0.2.1').login()).status).toBe(429)
      distrusted.address = '192.0.2.2'
      expect((await distrusted.login()).status).toBe(429)
      Object.assign(living, { devices: other })
      expect((await living.login()).status).toBe(200)
      expect((await signedOut.login()).status).toBe(200)
      expect((await new BearerClient(one, '192.0.2.3').login('grace')).status).toBe(200)
    })
  })
}

underAttack('memory', async () => {
  const store = createMemoryRateStore()
  return { stores: [store, store], close: async () => {} }
})

describe('with Redis', async () => {
  const url = process.env['QUILLGATE_TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379'
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: 2000,
  })
  redis.on('error', () => {})
  const isThere = await redis.connect().then(
    () => true,
    () => false,
  )
  if (!isThere) {
    it('requires Redis', (test) => {
      if (process.env['QUILLGATE_REQUIRE_SERVICES'] === '1')
        throw new Error(`Redis does not answer at ${url}`)
      test.skip(`Redis does not answer at ${url}`)
    })
    return
  }
  underAttack('Redis', async () => {
    const prefix = `quillgate_test_${randomUUID()}`
    const open = () =>
      new RateLimiterRedis({ storeClient: redis, keyPrefix: prefix, points: 1, duration: 1 })
    return {
      stores: [open(), open()],
      async close() {
        const keys = await redis.keys(`${prefix}*`)
        if (keys.length > 0) await redis.del(...keys)
        redis.disconnect()
      },
    }
  })
})
