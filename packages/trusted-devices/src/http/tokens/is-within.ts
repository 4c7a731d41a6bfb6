import { isQuillgateError } from '@quillgate/server/core'

/**
 * Whether a limit was kept: false instead of 429 `rate_limited`. @param consumed by
 * `RateLimiter.consume`
 */
export async function isWithin(consumed: Promise<void>): Promise<boolean> {
  try {
    await consumed
    return true
  } catch (error) {
    if (isQuillgateError(error) && error.code === 'rate_limited') return false
    throw error
  }
}
