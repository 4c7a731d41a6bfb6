import type { UserId } from '@quillgate/server/core'
import type { RevocationReason } from './facts.ts'
import type { ActingDevice } from './operations/change.ts'
import type { CleanupReport } from './operations/cleanup.ts'
import type { DeviceFilter } from './operations/filter.ts'
import type { DevicePage, ListAllOptions, ListOptions } from './operations/list.ts'
import type { RevocationReport } from './operations/revoke-where.ts'
import type { UserExport } from './operations/user-data.ts'
import type { DeviceChanges } from './tables/device-table.ts'
import type { TrustedDevice } from './trusted-device.ts'

/**
 * The operations of an application on devices. Signals have been sent when a promise fulfils. `cleanup` and `revokeWhere`
 * also wait until the receivers are done, up to 60 s for each.
 */
export interface DeviceOperations {
  /** A user's devices, newest activity first. */
  list(userId: UserId, options?: ListOptions): Promise<DevicePage>
  /**
   * Devices of all users, for administrators, newest activity first. Where `filter.address` is a network, a page may
   * have fewer devices than `limit` although another one follows: `nextCursor` tells.
   *
   * @throws QuillgateError 400 `invalid_request` for a wrong filter, limit or cursor
   */
  listAll(options?: ListAllOptions): Promise<DevicePage>
  /**
   * Revokes the devices that a filter means, of all users, whatever the permissions; each with its signal. With
   * `dryRun` it only counts, by the same filter. What was stopped half-way is finished by doing it again.
   *
   * @throws QuillgateError 400 `invalid_request` for a wrong filter, and for one without conditions
   *
   * @example
   * const conditions = { country: 'DE', seenBefore: new Date('2026-01-01') }
   * const { revoked, sample } = await devices.revokeWhere(conditions, { dryRun: true })
   * await devices.revokeWhere(conditions, { reason: 'incident_42' })
   */
  revokeWhere(
    filter: DeviceFilter,
    options?: { readonly reason?: RevocationReason; readonly dryRun?: boolean },
  ): Promise<RevocationReport>
  /**
   * Revokes one device of a user, whatever the permissions. One that is gone already comes back as a stranger's.
   *
   * @returns false when there was none
   */
  revoke(
    userId: UserId,
    uid: string,
    options?: { readonly reason?: RevocationReason },
  ): Promise<boolean>
  /**
   * Revokes a user's devices, whatever the permissions; call it when the password changes. Those that are gone already
   * come back as strangers'.
   *
   * @returns their number
   */
  revokeAll(
    userId: UserId,
    options?: { readonly keep?: string; readonly reason?: RevocationReason },
  ): Promise<number>
  /**
   * A device revokes a device of its user, as `DELETE /trusted-devices/{uid}` does.
   *
   * @throws QuillgateError 401, 403, 404 with the codes of that endpoint
   */
  revokeAs(acting: ActingDevice, uid: string): Promise<void>
  /** A device revokes all devices of its user, as `POST /trusted-devices/revoke-all` does. @returns their number */
  revokeAllAs(acting: ActingDevice, options?: { readonly keepCurrent?: boolean }): Promise<number>
  /**
   * Edits a device of a user, whatever the permissions: gives rights back to a device that has none, for example.
   *
   * @returns the device as it is now; null when there is none
   */
  edit(userId: UserId, uid: string, changes: DeviceChanges): Promise<TrustedDevice | null>
  /** A device edits a device of its user, as `PATCH /trusted-devices/{uid}` does. */
  editAs(acting: ActingDevice, uid: string, changes: DeviceChanges): Promise<TrustedDevice>
  /**
   * Notes the new id of the application's own session, after it was regenerated.
   *
   * @returns false when the device was revoked meanwhile: then the session must end
   */
  updateSession(device: ActingDevice, sessionId: string): Promise<boolean>
  /**
   * Revokes the stale devices of all users, reduces addresses that are older than `addressRetention` and
   * `networkRetention`, and forgets revoked devices that are too old. A dry run only counts.
   *
   * @param options `olderThan`: seconds since the last use, by default the setting `staleAfter`; `dryRun`: only count
   */
  cleanup(options?: {
    readonly olderThan?: number
    readonly dryRun?: boolean
  }): Promise<CleanupReport>
  /** Call it after a user was deleted: revokes all devices. @returns their number */
  userDeleted(userId: UserId): Promise<number>
  /** Everything that is stored about a user, for them to have: devices, revoked ones, and events that wait for delivery. */
  exportUser(userId: UserId): Promise<UserExport>
  /**
   * Erases everything that is stored about a user, and revokes their devices. The signals of that say which devices, and
   * nothing else; `user` is `{ id }`. @returns the number of devices
   */
  eraseUser(userId: UserId): Promise<number>
  /** Call it after an account was blocked: revokes all devices. @returns their number */
  userDeactivated(userId: UserId): Promise<number>
}
