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
 * A store that all processes share. It needs the package `rate-limiter-flexible`. The caller owns
 * the connection: it opens, watches and closes it.
 */
export function createRedisRateStore(
  client: IoRedisClient | NodeRedisClient,
  options: Input<typeof REDIS_OPTIONS> = {},
): RateStore {
  const { prefix } = parse(REDIS_OPTIONS, options)
  const limiters = new Map<number, RateLimiterRedis>()
  const limiterFor = (seconds: number): RateLimiterRedis => {
    const known = limiters.get(seconds)
    if (known) return known
    const limiter = new RateLimiterRedis({
      storeClient: client,
      useRedisPackage: !('defineCommand' in client),
      keyPrefix: prefix,
      points: 1,
      duration: seconds,
      rejectIfRedisNotReady: true,
    })
    limiters.set(seconds, limiter)
    return limiter
  }
  return {
    async hit(key, seconds) {
      // `penalty` counts without judging; the limit is ours to compare.
      const { consumedPoints, msBeforeNext } = await limiterFor(seconds).penalty(key, 1)
      return { count: consumedPoints, resetAfter: msBeforeNext }
    },
    async takeBack(key, seconds) {
      await limiterFor(seconds).reward(key, 1)
    },
  }
}
