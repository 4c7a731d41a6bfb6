import type { RequestContext } from '@quillgate/server/http'
import type { ActingDevice } from './devices/operations/change.ts'
import type { TrustedDevice } from './devices/trusted-device.ts'
import type { BaseUser, User } from './devices/user.ts'

/** Who made a request. */
export interface Authenticated {
  readonly user: User
  readonly device: TrustedDevice
  /** Append these to the answer: they renew the session cookie. Absent when there is nothing to renew. */
  readonly headers?: Headers
}

/** What a sensitive route of the application asks of a device. */
export interface TrustRequirements {
  /** Seconds that the device must have been known for. */
  readonly minAge?: number
  /** The user's password was entered on it at most so many seconds ago. */
  readonly maxProofAge?: number
  /** What it must be allowed to do. */
  readonly permissions?: readonly ('canDeleteOthers' | 'canEditOthers')[]
}

/** What guards an application's own routes and logins. */
export interface GuardOperations {
  /**
   * Lets a request through to a sensitive route, or throws what to answer. The device is read from the database, so a
   * revocation on another node holds at once.
   *
   * @throws QuillgateError 401 `authentication_required`; 403 `device_session_too_recent`, `step_up_required`,
   * `device_lacks_delete_permission`, `device_lacks_edit_permission`; ConfigurationError for wrong requirements
   *
   * @example
   * const { user } = await devices.requireTrusted(context, { minAge: 86_400, maxProofAge: 300 })
   */
  requireTrusted(context: RequestContext, requirements?: TrustRequirements): Promise<Authenticated>
  /**
   * Call it when the user has shown a second factor and wants this device remembered for it.
   *
   * @param options `for`: seconds, by default and at most the setting `secondFactorLifetime`
   * @returns until when; null when the device was revoked meanwhile
   */
  rememberSecondFactor(
    device: ActingDevice,
    options?: { readonly for?: number },
  ): Promise<Date | null>
  /**
   * Whether the second factor of a user is remembered for this browser. Ask after the password and before `login`, which
   * renews the device credential. Only the newest credential counts.
   *
   * @param source the request of a browser, or what a bearer client sent
   */
  isSecondFactorRemembered(
    user: BaseUser,
    source: RequestContext | { readonly deviceCredential: string | undefined },
  ): Promise<boolean>
  /**
   * Forgets the second factor on one device of a user, or on all of them: call it when the second factor changes.
   *
   * @returns on how many it was remembered
   */
  forgetSecondFactor(userId: BaseUser['id'], uid?: string): Promise<number>
  /** A device forgets it on a device of its user, as `DELETE /trusted-devices/{uid}/second-factor` does. */
  forgetSecondFactorAs(acting: ActingDevice, uid: string): Promise<void>
}
