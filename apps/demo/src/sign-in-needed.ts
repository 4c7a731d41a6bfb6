import { QuillgateError } from '@quillgate/server/core'
import type { TrustedDevice } from '@quillgate/trusted-devices'
import type { Request } from 'express'
import type { Account } from './accounts.ts'
import { visitorOf } from './visitor.ts'

/** Thrown by pages that need a user; the error page turns it into a redirect. */
export class SignInNeeded extends QuillgateError {
  constructor() {
    super('authentication_required', 401, 'Sign in first.')
  }
}

/** The signed-in user and device; anybody else is sent to the sign-in page. */
export function requireVisitor(request: Request): { user: Account; device: TrustedDevice } {
  const { user, device } = visitorOf(request)
  if (!user || !device) throw new SignInNeeded()
  return { user, device }
}
