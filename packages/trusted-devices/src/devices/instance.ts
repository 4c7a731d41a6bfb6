import type { UserId } from '@quillgate/http'
import type { ActingDevice } from './change.ts'
import type { CleanupReport } from './cleanup.ts'
import type { DeviceChanges } from './device-table.ts'
import type { RevocationReason } from './facts.ts'
import type { DevicePage, ListOptions } from './list.ts'
import type { TrustedDevice } from './trusted-device.ts'
import type { UserExport } from './user-data.ts'

/** What an application can do with devices. Signals have been sent when a promise fulfils. */
export interface DeviceOperations {
  /** A user's devices, newest activity first. */
  list(userId: UserId, options?: ListOptions): Promise<DevicePage>
  /** Every user's devices, for administrators, newest activity first. */
  listAll(options?: ListOptions): Promise<DevicePage>
  /** Revokes one device of a user, whatever the permissions. @returns false when there was none */
  revoke(userId: UserId, uid: string, options?: { readonly reason?: RevocationReason }): Promise<boolean>
  /** Revokes a user's devices, whatever the permissions; call it when the password changes. @returns their number */
  revokeAll(userId: UserId, options?: { readonly keep?: string; readonly reason?: RevocationReason }): Promise<number>
  /**
   * A device revokes a device of its user, as `DELETE /trusted-devices/{uid}` does.
   *
   * @throws QuillgateError 401, 403, 404 with the codes of that endpoint
   */
  revokeAs(acting: ActingDevice, uid: string): Promise<void>
  /** A device revokes all devices of its user, as `POST /trusted-devices/revoke-all` does. @returns their number */
  revokeAllAs(acting: ActingDevice, options?: { readonly keepCurrent?: boolean }): Promise<number>
  /** A device edits a device of its user, as `PATCH /trusted-devices/{uid}` does. */
  editAs(acting: ActingDevice, uid: string, changes: DeviceChanges): Promise<TrustedDevice>
  /**
   * Revokes the stale devices of all users.
   *
   * @param options `olderThan`: seconds since the last use, by default the setting `staleAfter`; `dryRun`: only count
   */
  cleanup(options?: { readonly olderThan?: number; readonly dryRun?: boolean }): Promise<CleanupReport>
  /** Call it after a user was deleted: revokes all devices. @returns their number */
  userDeleted(userId: UserId): Promise<number>
  /** Everything that is stored about a user, for them to have: devices, past ones, and what waits to be told. */
  exportUser(userId: UserId): Promise<UserExport>
  /**
   * Erases everything that is stored about a user, and revokes their devices. The signals of that say which devices, and
   * nothing else; `user` is `{ id }`. @returns the number of devices
   */
  eraseUser(userId: UserId): Promise<number>
  /** Call it after an account was blocked: revokes all devices. @returns their number */
  userDeactivated(userId: UserId): Promise<number>
}
