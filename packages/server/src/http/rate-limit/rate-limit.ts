import { createHmac } from 'node:crypto'
import { matching } from '../../core/checks.ts'
import { ConfigurationError, type QuillgateError, serverError } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import type { Check } from '../../core/schema.ts'
import { createMemoryRateStore, type RateStore } from './memory-rate-store.ts'

/** The number of hits that are allowed within a window of time. */
export interface Rate {
  readonly limit: number
  readonly seconds: number
}

/** A limiter that rejects hits above a rate. */
export type RateLimiter = ReturnType<typeof createRateLimiter>

interface RateLimiterOptions {
  readonly store?: RateStore | undefined
  /** The clock of the memory store. Other stores have their own clocks. */
  readonly clock?: () => number
  /** The HMAC key for names and addresses in the store. All processes must have the same key. */
  readonly key: Uint8Array
  /** Receives a warning at most once a minute while the store fails. */
  readonly logger: Pick<Logger, 'warn'>
}

const WARNING_INTERVAL_MS = 60_000
const SECONDS = { second: 1, minute: 60, hour: 3600 } as const
const RATE = /^([1-9]\d{0,8})\/(second|minute|hour)$/

/**
 * Reads a rate such as `5/minute`. The unit is `second`, `minute` or `hour`. Null means no limit.
 *
 * @param setting name of the setting, for the error
 * @throws ConfigurationError
 */
export function parseRate(value: string | null, setting = 'rate'): Rate | null {
  if (value === null) return null
  const [, limit, unit] = (typeof value === 'string' && RATE.exec(value)) || []
  if (limit === undefined)
    throw new ConfigurationError(setting, 'must be a rate such as "5/minute", or null', value)
  return { limit: Number(limit), seconds: SECONDS[unit as keyof typeof SECONDS] }
}

/** Accepts a rate such as `5/minute`. */
export const rate: Check<string> = matching(RATE, 'must be a rate such as "5/minute"')

/**
 * Creates a rate limiter. If a shared store fails, each process counts in its own memory. Requests
 * are then still limited, and users are not locked out.
 */
export function createRateLimiter({ clock, key: secret, logger, ...given }: RateLimiterOptions) {
  const memory = createMemoryRateStore(clock ? { clock } : {})
  const { store = memory } = given
  let nextWarning = 0
  const onStore = async <Result>(step: (store: RateStore) => Promise<Result>): Promise<Result> => {
    try {
      return await step(store)
    } catch (error) {
      if (performance.now() >= nextWarning) {
        nextWarning = performance.now() + WARNING_INTERVAL_MS
        logger.warn(
          'The rate limiter failed. Until it works again, each process counts its own requests.',
          error,
        )
      }
      return step(memory)
    }
  }
  return {
    /**
     * Counts one hit.
     *
     * @param key the subject of the limit, of any length
     * @param rate null means no limit
     * @throws QuillgateError 429 `rate_limited` with `retry-after`, if the hit is over the limit
     */
    async consume(key: string, rate: Rate | null): Promise<void> {
      if (rate === null) return
      const hashed = hashKey(key, rate, secret)
      const duration = { customDuration: rate.seconds }
      const window = await onStore((target) => target.penalty(hashed, 1, duration))
      if (window.consumedPoints > rate.limit) throw rateLimited(window.msBeforeNext)
    },
    /** Subtracts one hit. For example, call it after a success if only failures should count. */
    async forgive(key: string, rate: Rate | null): Promise<void> {
      if (rate === null) return
      const hashed = hashKey(key, rate, secret)
      await onStore((target) => target.reward(hashed, 1, { customDuration: rate.seconds }))
    },
  }
}

/** Multiplies the limit of a rate. */
export function timesRate(rate: Rate | null, factor: number): Rate | null {
  return rate && { ...rate, limit: rate.limit * factor }
}

/** Hashes a key, so that the store contains only short keys without names or addresses. */
function hashKey(key: string, rate: Rate, secret: Uint8Array): string {
  const hash = createHmac('sha256', secret).update(key).digest('base64url')
  return `${rate.limit}/${rate.seconds}:${hash}`
}

function rateLimited(resetAfter: number): QuillgateError {
  const seconds = Math.max(1, Math.ceil(resetAfter / 1000))
  return serverError('rate_limited', `Too many requests. Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  })
}
