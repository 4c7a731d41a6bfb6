import { type Logger, logOnce } from '@quillgate/server/core'
import type { DeviceRecord } from '../../devices/tables/device-record.ts'

/**
 * Checks a request whose session cookie is older than the newest one.
 *
 * @param record the device as it was before this request
 * @param now milliseconds since the epoch
 * @param renewAfter milliseconds after which a cookie is renewed
 */
export type LateCookieLog = (record: DeviceRecord, now: number, renewAfter: number) => void

/** Milliseconds in which the answer to a request has arrived. */
const ANSWER_TIME = 60_000

/**
 * Creates a function that logs once when the application does not send renewed cookies: a browser
 * was in use with the old cookie a whole period after the renewal, and sends it again. A single
 * lost answer is no reason to log, because the next answer has the cookie, too.
 */
export function createLateCookieLog(logger: Logger): LateCookieLog {
  const warn = logOnce(logger)
  return ({ device, token }, now, renewAfter) => {
    const usedAt = device.lastSeenAt.getTime()
    const isIgnored =
      token.confirmedAt === null &&
      usedAt - token.issuedAt >= renewAfter &&
      now - usedAt >= ANSWER_TIME
    if (!isIgnored) return
    warn(
      'A browser does not get its renewed session cookie. If your application answers with a Response, return ' +
        'gate.respond(req, response).',
    )
  }
}
