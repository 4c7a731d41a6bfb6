import type { TrustedDevice } from '@quillgate/trusted-devices'
import type { Request, RequestHandler } from 'express'
import type { Account } from './accounts.ts'
import { navigationFor } from './navigation.ts'
import type { DemoParts } from './parts.ts'

/** The user and the device of a request. Both are null if the visitor is not signed in. */
export interface Visitor {
  readonly user: Account | null
  readonly device: TrustedDevice | null
}

const visitors = new WeakMap<Request, Visitor>()

/**
 * Creates middleware that authenticates each request. Passes the user, the CSRF token and the
 * navigation to the pages.
 */
export function readVisitor({ devices, gate }: DemoParts): RequestHandler {
  return async (request, response, next) => {
    const session = await devices.authenticate(request)
    const user = session?.user ?? null
    visitors.set(request, { user, device: session?.device ?? null })
    const csrfToken = await gate.csrfToken(request)
    const navigation = navigationFor(request.path)
    Object.assign(response.locals, { csrfToken, user, navigation })
    next()
  }
}

export function visitorOf(request: Request): Visitor {
  return visitors.get(request) ?? { user: null, device: null }
}
