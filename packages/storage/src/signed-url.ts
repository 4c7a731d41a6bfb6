import { ConfigurationError } from '@quillgate/server/core'

/** Seven days in seconds: no signature of S3 or Google works longer. */
const LONGEST = 604_800

/** Checks how long a URL shall work. @throws ConfigurationError @param expiresIn in seconds */
export function checkExpiry(expiresIn: number): void {
  if (Number.isSafeInteger(expiresIn) && expiresIn >= 1 && expiresIn <= LONGEST) return
  throw new ConfigurationError(
    'expiresIn',
    `must be a whole number from 1 to ${LONGEST} (seconds)`,
    expiresIn,
  )
}
