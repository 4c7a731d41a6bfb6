import { Buffer } from 'node:buffer'
import { createHash, createHmac } from 'node:crypto'
import { functionOf, has, matching } from '../../core/checks.ts'
import { ConfigurationError, type QuillgateError, serverError } from '../../core/errors.ts'
import { type Check, type Input, optional, Problem, parse } from '../../core/schema.ts'
import { createMemoryRateStore } from './memory-rate-store.ts'
import type { RateStore } from './rate-store.ts'

/** A number of hits in a window of seconds. */
export interface Rate {
  readonly limit: number
  /** Length of the window in seconds. */
  readonly seconds: number
}

/** Refuses requests that come too often. */
export interface RateLimiter {
  /**
   * Counts one hit.
   *
   * @param key the subject of the limit, of any length, for example `login:${addressKey(address)}`
   * @param rate null: no limit
   * @throws QuillgateError 429 `rate_limited` with `retry-after`, from the first hit over the limit
   * until the window ends
   */
  consume(key: string, rate: Rate | null): Promise<void>
  /** Takes one hit back, where only failures shall count. */
  forgive(key: string, rate: Rate | null): Promise<void>
}

const RATE_LIMITER_OPTIONS = {
  /**
   * Where hits are counted: a limiter of the package `rate-limiter-flexible`, for example in Redis;
   * by default the memory of this process, bounded.
   */
  store: optional(has<RateStore>('penalty', 'reward')),
  /** Milliseconds since the epoch; for the memory only, other stores have their own time. */
  clock: optional(functionOf<() => number>()),
  /**
   * A key of at least 32 bytes, the same in all processes. Without it, anybody who reads the store
   * can find out the names and addresses in it by trying. With another key, counting begins again.
   */
  key: optional(limiterKey),
  /**
   * Called if the store fails. Until it works again, hits are counted in the memory of this
   * process.
   */
  onStoreError: optional(functionOf<(error: unknown) => void>()),
}

/** How {@link createRateLimiter} counts. */
export type RateLimiterOptions = Input<typeof RATE_LIMITER_OPTIONS>

const MIN_KEY_BYTES = 32
const SECONDS = { second: 1, minute: 60, hour: 3600 } as const
const RATE = /^([1-9]\d{0,8})\/(second|minute|hour)$/

/**
 * Reads a rate such as `5/minute` (`second`, `minute`, `hour`); null: no limit.
 *
 * @param setting name of the setting, for the error
 * @throws ConfigurationError for anything else
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
 * Creates a rate limiter with fixed windows. If a shared store fails, each process counts for
 * itself, so requests are still limited and users are not locked out.
 *
 * @throws ConfigurationError that names the option
 *
 * @example
 * const store = new RateLimiterRedis({ storeClient: redis, points: 1, duration: 1 })
 * const limiter = createRateLimiter({ store })
 * await limiter.consume(`login:${username}`, parseRate('5/minute'))
 */
export function createRateLimiter(options: RateLimiterOptions = {}): RateLimiter {
  const { clock, onStoreError, key: secret, ...given } = parse(RATE_LIMITER_OPTIONS, options)
  const memory = createMemoryRateStore(clock ? { clock } : {})
  const { store = memory } = given
  const onStore = <Result>(step: (store: RateStore) => Promise<Result>): Promise<Result> =>
    step(store).catch((error: unknown) => {
      onStoreError?.(error)
      return step(memory)
    })
  return {
    async consume(key, rate) {
      if (rate === null) return
      const hashed = hashKey(key, rate, secret)
      const duration = { customDuration: rate.seconds }
      const window = await onStore((target) => target.penalty(hashed, 1, duration))
      if (window.consumedPoints > rate.limit) throw rateLimited(window.msBeforeNext)
    },
    async forgive(key, rate) {
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

/** The hash bounds the length of keys, and keeps names and addresses out of the store. */
function hashKey(key: string, rate: Rate, secret: string | Uint8Array | undefined): string {
  const hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret)
  return `${rate.limit}/${rate.seconds}:${hash.update(key).digest('base64url')}`
}

function rateLimited(resetAfter: number): QuillgateError {
  const seconds = Math.max(1, Math.ceil(resetAfter / 1000))
  return serverError('rate_limited', `Too many requests. Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  })
}

function limiterKey(value: unknown): string | Uint8Array | Problem {
  const isKey = typeof value === 'string' || value instanceof Uint8Array
  if (isKey && Buffer.byteLength(value) >= MIN_KEY_BYTES) return value
  return new Problem(`of a rate limiter must have at least ${MIN_KEY_BYTES} bytes`)
}
