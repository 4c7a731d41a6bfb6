import { type Logger, logOnce } from '../../core/logger.ts'
import type { RequestContext } from '../context.ts'
import { parseCookies } from '../cookies.ts'

/** What a refused request of the expected origin sent. */
export interface RefusedCsrf {
  readonly token: string | null
  /** Full name of the cookie that was expected. */
  readonly cookie: string
  /** Whether the cookie has a good signature and the token the right form. */
  readonly isReadable: boolean
}

/** Logs which mistake of the set-up makes the server refuse its own pages. */
export type RefusalLog = (context: RequestContext, refused: RefusedCsrf) => void

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
          'csrf.issue to the page, or send the header x-csrf-token.',
      )
    } else if (!parseCookies(request.headers.get('cookie')).has(cookie)) {
      warnOf(
        'cookie',
        `It sent a token, but no cookie ${cookie}. Set the headers of csrf.issue on the answer that carries ` +
          'the page. If they are set, give every createCsrf the same cookie and publicOrigin.',
      )
    } else if (!isReadable) {
      warnOf(
        'secret',
        `Its token or its cookie ${cookie} was not made with this secret. Pass the same createCsrf, or the ` +
          'same secret, to all parts of the application. After a change of the secret, pass the old one too.',
      )
    } else {
      warnOf(
        'user',
        'Its token belongs to another user, session or secret. Pass the user who is signed in to csrf.issue, ' +
          'call csrf.rotate at sign-in and sign-out, and use one createCsrf. A page opened before a sign-in ' +
          'is refused rightly.',
      )
    }
  }
}
