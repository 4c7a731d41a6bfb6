import { fromExpress, setHeaders } from '@quillgate/server/express'
import type { TrustedDevice } from '@quillgate/trusted-devices'
import type { Request, RequestHandler } from 'express'
import type { Account } from './accounts.ts'
import type { DemoParts } from './parts.ts'

/** Who asks. */
export interface Visitor {
  readonly user: Account | null
  readonly device: TrustedDevice | null
}

const visitors = new WeakMap<Request, Visitor>()

/** Authenticates each request, renews its cookies, and gives pages the CSRF token for their forms. */
export function readVisitor({ csrf, devices }: DemoParts): RequestHandler {
  return async (request, response, next) => {
    const context = fromExpress(request)
    const session = await devices.authenticate(context)
    if (session?.headers) setHeaders(response, session.headers)
    const user = session?.user ?? null
    visitors.set(request, { user, device: session?.device ?? null })
    const { token, headers } = csrf.issue(context, user)
    setHeaders(response, headers)
    Object.assign(response.locals, { csrfToken: token, user, path: request.path })
    next()
  }
}

/** The visitor of this request. */
export function visitorOf(request: Request): Visitor {
  return visitors.get(request) ?? { user: null, device: null }
}
