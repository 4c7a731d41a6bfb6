import type { TrustedDevice } from '@quillgate/trusted-devices'
import type { Request, RequestHandler } from 'express'
import type { Account } from './accounts.ts'
import { navigationFor } from './navigation.ts'
import type { DemoParts } from './parts.ts'

/** Who asks. */
export interface Visitor {
  readonly user: Account | null
  readonly device: TrustedDevice | null
}

const visitors = new WeakMap<Request, Visitor>()

/** Authenticates each request, and gives pages the CSRF token for their forms. */
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

/** The visitor of this request. */
export function visitorOf(request: Request): Visitor {
  return visitors.get(request) ?? { user: null, device: null }
}
