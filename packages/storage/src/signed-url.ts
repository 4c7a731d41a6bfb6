import { ConfigurationError } from '@quillgate/server/core'

/** Seven days in seconds, the limit of S3 and Google Cloud Storage. */
const LONGEST = 604_800

/**
 * Checks the lifetime of a signed URL.
 *
 * @param expiresIn - in seconds
 * @throws ConfigurationError
 */
export function checkExpiry(expiresIn: number): void {
  if (Number.isSafeInteger(expiresIn) && expiresIn >= 1 && expiresIn <= LONGEST) return
  throw new ConfigurationError(
    'expiresIn',
    `must be a whole number from 1 to ${LONGEST} (seconds)`,
    expiresIn,
  )
}
