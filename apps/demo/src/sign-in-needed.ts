import { QuillgateError } from '@quillgate/server/core'
import type { TrustedDevice } from '@quillgate/trusted-devices'
import type { Request } from 'express'
import type { Account } from './accounts.ts'
import { visitorOf } from './visitor.ts'

/**
 * The error for a page that requires a signed-in user. `showError` redirects to the sign-in page.
 */
export class SignInNeeded extends QuillgateError {
  constructor() {
    super('authentication_required', 401, 'Sign in first.')
  }
}

/** Returns the signed-in user and device, or throws {@link SignInNeeded}. */
export function requireVisitor(request: Request): { user: Account; device: TrustedDevice } {
  const { user, device } = visitorOf(request)
  if (!user || !device) throw new SignInNeeded()
  return { user, device }
}
