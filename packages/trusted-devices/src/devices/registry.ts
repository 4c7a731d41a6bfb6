import type { UserId } from '@quillgate/server/core'
import type { UserData } from '../privacy/personal-data.ts'
import type { ActingDevice } from './acting-device.ts'
import type { RevocationReason } from './device-event.ts'
import type { DevicePage, ListAllOptions, ListOptions } from './list.ts'
import type { CleanupReport } from './revocation/cleanup.ts'
import type { DeviceFilter } from './revocation/filter.ts'
import type { RevocationReport } from './revocation/revoke-where.ts'
import type { DeviceChanges } from './tables/device-table.ts'
import type { TrustedDevice } from './trusted-device.ts'
import type { UserExport } from './user-data.ts'
import type { User } from './users.ts'

/**
 * The devices of all users. Signals have been sent when a promise fulfils. `cleanup` and
 * `revokeWhere` also wait until the receivers are done, up to 60 s for each.
 */
export interface DeviceRegistry {
  /** Returns a user's devices, newest activity first. */
  list(userId: UserId, options?: ListOptions): Promise<DevicePage>
  /**
   * Returns devices of all users, newest activity first. If `filter.address` is a network, a page
   * may have fewer devices than `limit` although another one follows: `nextCursor` tells.
   *
   * @throws QuillgateError 400 `invalid_request` for a wrong filter, limit or cursor
   */
  listAll(options?: ListAllOptions): Promise<DevicePage>
  /** Returns one device of a user, or null. */
  get(userId: UserId, uid: string): Promise<TrustedDevice | null>
  /**
   * Edits a device of a user without checking permissions. For example, it restores the permissions
   * of a device.
   *
   * @returns the changed device, or null if it does not exist
   */
  edit(userId: UserId, uid: string, changes: DeviceChanges): Promise<TrustedDevice | null>
  /** Edits a device of the acting device's user, as `PATCH /trusted-devices/{uid}` does. */
  editAs(acting: ActingDevice, uid: string, changes: DeviceChanges): Promise<TrustedDevice>
  /**
   * Revokes one device of a user, whatever the permissions. A device that is already revoked can no
   * longer return.
   *
   * @returns false if there was none
   */
  revoke(
    userId: UserId,
    uid: string,
    options?: { readonly reason?: RevocationReason },
  ): Promise<boolean>
  /**
   * Revokes a device of the acting device's user, as `DELETE /trusted-devices/{uid}` does.
   *
   * @throws QuillgateError 401, 403, 404 with the codes of that endpoint
   */
  revokeAs(acting: ActingDevice, uid: string): Promise<void>
  /**
   * Revokes a user's devices, whatever the permissions. Call it when the password changes. Devices
   * that are already revoked can no longer return.
   *
   * @returns the number of devices
   */
  revokeAll(
    userId: UserId,
    options?: { readonly keep?: string; readonly reason?: RevocationReason },
  ): Promise<number>
  /**
   * Revokes all devices of the acting device's user, as `POST /trusted-devices/revoke-all` does.
   *
   * @returns the number of devices
   */
  revokeAllAs(acting: ActingDevice, options?: { readonly keepCurrent?: boolean }): Promise<number>
  /**
   * Revokes the devices of all users that match a filter, whatever the permissions. Each one sends
   * its signal. With `dryRun` it only counts. If it was interrupted, call it again.
   *
   * @throws QuillgateError 400 `invalid_request` for a wrong filter, and for one without conditions
   *
   * @example
   * const conditions = { country: 'DE', seenBefore: new Date('2026-01-01') }
   * const { revoked, sample } = await devices.registry.revokeWhere(conditions, { dryRun: true })
   * await devices.registry.revokeWhere(conditions, { reason: 'incident_42' })
   */
  revokeWhere(
    filter: DeviceFilter,
    options?: { readonly reason?: RevocationReason; readonly dryRun?: boolean },
  ): Promise<RevocationReport>
  /**
   * Revokes the stale devices of all users, shortens addresses that are older than
   * `addressRetention` and `networkRetention`, and deletes revoked devices that are too old. A dry
   * run only counts.
   *
   * @param options `olderThan`: seconds since the last use, by default the setting `staleAfter`;
   * `dryRun`: only count
   */
  cleanup(options?: {
    readonly olderThan?: number
    readonly dryRun?: boolean
  }): Promise<CleanupReport>
}

/** Everything that concerns all data of one user. */
export interface UserOperations {
  /** Returns a user as `users.findById` does, or null. */
  find(userId: UserId): Promise<User | null>
  /** Adds data of another component to `export`, `erase` and `deleted`. */
  addData(place: UserData): void
  /**
   * Revokes all devices of a deleted user. Call it after the deletion. @returns the number of
   * devices
   */
  deleted(userId: UserId): Promise<number>
  /**
   * Revokes all devices of a blocked user. Call it after the account was blocked. @returns the
   * number of devices
   */
  deactivated(userId: UserId): Promise<number>
  /**
   * Returns everything that is stored about a user: devices, revoked devices, and events that wait
   * for delivery.
   */
  export(userId: UserId): Promise<UserExport>
  /**
   * Erases everything that is stored about a user, and revokes their devices. The signals say which
   * devices, and nothing else; `user` is `{ id }`. @returns the number of devices
   */
  erase(userId: UserId): Promise<number>
}
