import { RateLimiterRedis } from 'rate-limiter-flexible'
import { text } from '../../core/checks.ts'
import { field, type Input, parse } from '../../core/schema.ts'
import type { RateStore } from './rate-store.ts'

/** The part of a client of the package `ioredis` that the store uses. */
interface IoRedisClient {
  defineCommand(name: string, definition: { numberOfKeys?: number; lua: string }): void
}

/** The part of a client of the package `redis` (4 and later) that the store uses. */
interface NodeRedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

const REDIS_OPTIONS = {
  /** The prefix of the keys. */
  prefix: field(text, 'quillgate_rate'),
}

/**
 * Creates a store that all processes share. It needs the package `rate-limiter-flexible`. The caller
 * owns the connection: it opens, watches and closes it.
 */
export function createRedisRateStore(
  client: IoRedisClient | NodeRedisClient,
  options: Input<typeof REDIS_OPTIONS> = {},
): RateStore {
  const { prefix } = parse(REDIS_OPTIONS, options)
  const limiter = new RateLimiterRedis({
    storeClient: client,
    useRedisPackage: !('defineCommand' in client),
    keyPrefix: prefix,
    points: 1,
    duration: 1,
    rejectIfRedisNotReady: true,
  })
  return {
    async hit(key, seconds) {
      // `penalty` counts without judging; the limit is ours to compare.
      const { consumedPoints, msBeforeNext } = await limiter.penalty(key, 1, {
        customDuration: seconds,
      })
      return { count: consumedPoints, resetAfter: msBeforeNext }
    },
    async takeBack(key, seconds) {
      await limiter.reward(key, 1, { customDuration: seconds })
    },
  }
}
