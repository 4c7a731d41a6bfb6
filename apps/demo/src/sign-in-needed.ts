import { QuillgateError } from '@quillgate/server/core'
import type { TrustedDevice } from '@quillgate/trusted-devices'
import type { Request } from 'express'
import type { Account } from './accounts.ts'
import { visitorOf } from './visitor.ts'

/** `showError` redirects this error to the sign-in page. */
export class SignInNeeded extends QuillgateError {
  constructor() {
    super('authentication_required', 401, 'Sign in first.')
  }
}

export function requireVisitor(request: Request): { user: Account; device: TrustedDevice } {
  const { user, device } = visitorOf(request)
  if (!user || !device) throw new SignInNeeded()
  return { user, device }
}
