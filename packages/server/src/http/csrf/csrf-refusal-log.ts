import { type Logger, logOnce } from '../../core/logger.ts'
import type { IncomingRequest } from '../context.ts'
import { parseCookies } from '../cookies.ts'

/** A refused request of the expected origin. */
export interface RefusedCsrf {
  readonly token: string | null
  /** Full name of the cookie that was expected. */
  readonly cookie: string
  /** Whether the cookie has a good signature and the token the right form. */
  readonly isReadable: boolean
}

/** Logs which mistake of the set-up makes the server refuse its own pages. */
export type RefusalLog = (context: IncomingRequest, refused: RefusedCsrf) => void

/** Creates the log: one line per cause, without a value of the request. */
export function createRefusalLog(logger: Pick<Logger, 'warn'>): RefusalLog {
  const warn = logOnce(logger)
  return ({ request }, { token, cookie, isReadable }) => {
    const warnOf = (kind: string, text: string): void =>
      warn(`CSRF: a request from this site's own origin was refused (csrf_failed). ${text}`, kind)
    if (!token) {
      warnOf(
        'token',
        'It sent no token. Add the hidden field csrf_token or <meta name="csrf-token"> with the token of ' +
          'gate.csrfToken(req) to the page, or send the header x-csrf-token.',
      )
    } else if (!parseCookies(request.headers.get('cookie')).has(cookie)) {
      warnOf(
        'cookie',
        `It sent a token, but no cookie ${cookie}. If your application answers with a Response, return ` +
          'gate.respond(req, response), so that the answer with the page sets the cookie.',
      )
    } else if (!isReadable) {
      warnOf(
        'secret',
        `Its token or its cookie ${cookie} was not made with this secret. Give all processes the same secret. ` +
          'After a change of the secret, pass the old one too.',
      )
    } else {
      warnOf(
        'user',
        'Its token belongs to another user, session or secret. A page that was opened before a sign-in or ' +
          'sign-out must be reloaded.',
      )
    }
  }
}
