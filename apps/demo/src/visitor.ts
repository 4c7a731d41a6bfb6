import { hasBearer, QuillgateError } from '@quillgate/http'
import { fromExpress, setHeaders } from '@quillgate/http/express'
import type { TrustedDevice } from '@quillgate/trusted-devices'
import type { Request, RequestHandler } from 'express'
import type { Account } from './accounts.ts'
import type { DemoParts } from './parts.ts'

/** Who asks, and the CSRF token for the forms of the page. */
export interface Visitor {
  readonly user: Account | null
  readonly device: TrustedDevice | null
}

const visitors = new WeakMap<Request, Visitor>()

/** Authenticates each request, renews its cookies, gives pages their CSRF token and checks it on every form. */
export function readVisitor({ csrf, devices }: DemoParts): RequestHandler {
  return async (request, response, next) => {
    const context = fromExpress(request)
    const session = await devices.authenticate(context)
    if (session?.headers) setHeaders(response, session.headers)
    const user = session?.user ?? null
    visitors.set(request, { user, device: session?.device ?? null })

    if (!['GET', 'HEAD'].includes(request.method) && !hasBearer(context.request)) {
      const token = (request.body as { csrf_token?: unknown } | undefined)?.csrf_token
      if (!(await csrf.verify(context, typeof token === 'string' ? token : null, user))) {
        throw new QuillgateError(
          'csrf_failed',
          403,
          'This form is out of date. Go back, reload the page and send it again.',
        )
      }
    }
    const issued = csrf.issue(context, user)
    setHeaders(response, issued.headers)
    response.locals = { ...response.locals, csrfToken: issued.token, user, path: request.path }
    next()
  }
}

/** The visitor of this request. */
export function visitorOf(request: Request): Visitor {
  return visitors.get(request) ?? { user: null, device: null }
}

/** The signed-in user and device; anybody else is sent to the sign-in page. */
export function requireVisitor(request: Request): { user: Account; device: TrustedDevice } {
  const { user, device } = visitorOf(request)
  if (!user || !device) throw new SignInNeeded()
  return { user, device }
}

/** Thrown by pages that need a user; the error page turns it into a redirect. */
export class SignInNeeded extends QuillgateError {
  constructor() {
    super('authentication_required', 401, 'Sign in first.')
  }
}
