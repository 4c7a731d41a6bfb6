import { type Input, listOf, oneOf, optional, seconds, type UserId } from '@quillgate/server/core'
import type { ActingDevice } from '../devices/acting-device.ts'
import type { TrustedDevice } from '../devices/trusted-device.ts'
import type { BaseUser, User } from '../devices/users.ts'

/** The user and the device of a request. */
export interface Authenticated {
  readonly user: User
  readonly device: TrustedDevice
}

/**
 * The requirements of a sensitive route. A misspelt requirement is an error, because it would let
 * all requests through.
 */
export const REQUIREMENTS = {
  /** Seconds since the device was registered, at least. */
  minAge: optional(seconds()),
  /** Seconds since the user's password was last entered on it, at most. */
  maxProofAge: optional(seconds()),
  /** Permissions that it must have. */
  permissions: optional(listOf(oneOf(['canDeleteOthers', 'canEditOthers']))),
}

/** The requirements of a sensitive route of the application. */
export type TrustRequirements = Input<typeof REQUIREMENTS>

/** Remembers second factors on devices. */
export interface SecondFactor {
  /**
   * Remembers the second factor on a device. Call it after the user has shown it and wants it
   * remembered.
   *
   * @param options `for`: seconds, by default and at most 30 days
   * @returns until when; null if the device was revoked meanwhile
   */
  remember(device: ActingDevice, options?: { readonly for?: number }): Promise<Date | null>
  /**
   * Returns true if the second factor of a user is remembered for this browser. Call it after the
   * password was checked and before `login`, which renews the device credential. Only the current
   * credential counts.
   *
   * @param source the request of a browser, or `{ deviceCredential }` that a bearer client sent
   */
  isRemembered(user: BaseUser, source: unknown): Promise<boolean>
  /**
   * Forgets the second factor on one device of a user, or on all of them. Call it when the second
   * factor changes.
   *
   * @returns the number of devices on which it was remembered
   */
  forget(userId: UserId, uid?: string): Promise<number>
  /**
   * Forgets it on a device of the acting device's user, as `DELETE
   * /trusted-devices/{uid}/second-factor` does.
   */
  forgetAs(acting: ActingDevice, uid: string): Promise<void>
}
