import { ConfigurationError } from '@quillgate/server/core'
import type { RevocationReason } from './device-event.ts'

const LONGEST = 64

/** Returns true for a reason: one line of 1 to 64 characters that is not blank. */
export function isReason(value: unknown): value is RevocationReason {
  if (typeof value !== 'string' || value.trim() === '' || value.length > 2 * LONGEST) return false
  return (
    value.isWellFormed() && [...value].length <= LONGEST && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)
  )
}

/** @throws ConfigurationError for what cannot be a reason */
export function requireReason(value: unknown): RevocationReason {
  if (isReason(value)) return value
  throw new ConfigurationError(
    'reason',
    `must be text of 1 to ${LONGEST} characters in one line`,
    value,
  )
}
