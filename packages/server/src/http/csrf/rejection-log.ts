import { type Logger, logOnce } from '../../core/logger.ts'

/** The reason why a request of our own origin was rejected. */
export type RejectionCause = keyof typeof ADVICE

/** The maximum number of warnings per hour, so that one client cannot fill the log. */
const MOST = 10
const HOUR_MS = 3_600_000

/** Creates a log of mistakes that make the server reject requests from its own pages. */
export function createRejectionLog(logger: Pick<Logger, 'warn'>) {
  const warnOnce = logOnce(logger)
  const pairs = new Set<string>()
  let clearing = performance.now() + HOUR_MS
  return {
    otherOrigin({ headers }: Request, expected: string): void {
      const origin = headers.get('origin')
      const site = headers.get('sec-fetch-site')
      const sent = origin === null ? 'no Origin' : `Origin ${quote(origin)}`
      const from = site === null ? sent : `${sent} and Sec-Fetch-Site ${quote(site)}`
      const pair = `it came with ${from}, but the server expects the origin ${quote(expected)}`
      if (performance.now() >= clearing) {
        pairs.clear()
        clearing = performance.now() + HOUR_MS
      }
      if (pairs.has(pair) || pairs.size >= MOST) return
      pairs.add(pair)
      const advice =
        origin === null && site === null
          ? 'A script that sends cookies must send the header Origin too.'
          : 'If the origin in the request is the origin of your site, set publicOrigin to it, or add ' +
            'your proxy to trustedProxies.'
      logger.warn(`A request with a valid CSRF token was rejected: ${pair}. ${advice}`)
    },
    /** Logs a rejected request of our own origin. Each cause is logged only once. */
    ownOrigin(cause: RejectionCause, cookieName: string): void {
      const advice = ADVICE[cause].replaceAll('COOKIE', cookieName)
      const text = `CSRF: a request from this site's own origin was rejected (csrf_failed). ${advice}`
      warnOnce(text, cause)
    },
  }
}

const ADVICE = {
  'no token':
    'It sent no token. Add the token of gate.csrfToken(req) to the page, in the hidden field csrf_token ' +
    'or in <meta name="csrf-token">. A script can also send it in the header x-csrf-token.',
  'no cookie':
    'It sent a token, but no cookie COOKIE. If your application creates a Response for the page, return ' +
    'gate.respond(req, response), which adds the cookie.',
  'other secret':
    'Its token or its cookie COOKIE was made with another secret. Give all processes the same secret. ' +
    'After a change of the secret, also pass the old secret.',
  'other session':
    'Its token belongs to another user, session or secret. A page that was opened before a sign-in or ' +
    'sign-out must be reloaded.',
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 200))
}
