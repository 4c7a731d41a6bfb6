import {
  ConfigurationError,
  checks,
  field,
  optional,
  parse,
  toUserId,
  type UserId,
} from '@quillgate/server/core'
import { expressionBuilder } from 'kysely'
import { addressCutoffs } from '../privacy/address-policy.ts'
import type { PersonalData } from '../privacy/personal-data.ts'
import { type AllSettings, requireStaleAge } from '../settings.ts'
import type { TokenPolicy } from '../tokens/rotation-and-reuse.ts'
import { parseUuid, requireUid } from '../uuid.ts'
import type { Changes } from './changes.ts'
import { type RevocationReason, reason } from './device-event.ts'
import { edit, parseDeviceChanges } from './edit.ts'
import { type DevicePage, type ListAllOptions, type ListOptions, listDevices } from './list.ts'
import type { DeviceChanges } from './permissions.ts'
import { type DeviceFilter, parseFilter } from './revocation/filter.ts'
import { revokeDevices } from './revocation/revoke.ts'
import { type ManyRevoked, revokeWhere } from './revocation/revoke-where.ts'
import type { DeviceDatabase } from './tables/device-database.ts'
import { REVOKED_DEVICE_AGE } from './tables/revoked-table.ts'
import type { DeviceRows } from './tables/schema.ts'
import type { TrustedDevice } from './tables/trusted-device.ts'
import type { UserDirectory } from './users.ts'

/** The objects that the registry depends on. */
export interface RegistryParts {
  readonly ready: () => Promise<void>
  readonly changes: Changes
  readonly db: DeviceDatabase
  /** Also contains the data of other components. The user's row, which is a lock, comes last. */
  readonly personalData: PersonalData[]
  readonly users: UserDirectory
  readonly settings: AllSettings
  readonly policy: TokenPolicy
  /** Returns the time in milliseconds since the epoch. */
  readonly clock: () => number
}

/** The result of a revocation by a filter. In a dry run, `revoked` counts matching devices. */
export interface RevocationReport extends ManyRevoked {
  readonly dryRun: boolean
  /** In a dry run, up to ten matching devices, the most recently used first. Otherwise empty. */
  readonly sample: readonly TrustedDevice[]
}

/** The result of a cleanup, or of its dry run. */
export interface CleanupReport extends ManyRevoked {
  /** The number of old addresses that were shortened or removed. In a dry run, it is 0. */
  readonly reducedAddresses: number
  /**
   * Devices last seen before this time are stale. Null if `staleAfter` is null and no `olderThan`
   * was given.
   */
  readonly seenBefore: Date | null
  readonly dryRun: boolean
}

const REASON = { reason: field<RevocationReason>(reason, 'application') }
const DRY_RUN = { dryRun: field(checks.boolean, false) }
const REVOKE_WHERE = { ...REASON, ...DRY_RUN }
const REVOKE_ALL = { ...REASON, keep: optional(checks.matching(/./s, 'must be text, not empty')) }
const CLEANUP = { ...DRY_RUN, olderThan: optional(checks.positiveSeconds()) }
const PAGE = {
  limit: optional(checks.anything<number>()),
  cursor: optional(checks.anything<string | null>()),
}
const FILTERED_PAGE = {
  ...PAGE,
  filter: field(checks.anything<DeviceFilter>(), { everything: true }),
}
const SAMPLE_SIZE = 10

/**
 * Lists, edits and revokes the devices of all users. Methods that revoke devices wait for the
 * receivers of the signals, at most `receiverTimeout`. `cleanup` and `revokeWhere` instead wait at
 * most 60 s for the receivers of each user.
 */
export class DeviceRegistry {
  readonly #parts: RegistryParts

  /** Applications use `devices.registry` instead. */
  constructor(parts: RegistryParts) {
    this.#parts = parts
  }

  /**
   * Returns a user's devices, newest activity first.
   *
   * @throws QuillgateError 400 `invalid_request` for a wrong limit or cursor; 500 `invalid_user` for
   * an unusable id
   */
  async list(userId: UserId, options: ListOptions = {}): Promise<DevicePage> {
    const { ready, db } = this.#parts
    const page = parse(PAGE, options, 'registry.list')
    await ready()
    const owner = toUserId(userId)
    return listDevices(db.devices, (eb) => eb('userId', '=', owner), page)
  }

  /**
   * Returns a page of the devices of all users, newest activity first.
   *
   * @throws QuillgateError 400 `invalid_request` for a wrong filter, limit or cursor
   */
  async listAll(options: ListAllOptions = {}): Promise<DevicePage> {
    const { ready, db } = this.#parts
    const { filter, ...page } = parse(FILTERED_PAGE, options, 'registry.listAll')
    const which = parseFilter(filter)
    await ready()
    return listDevices(db.devices, which, page)
  }

  /** Returns one device of a user, or null. */
  async get(userId: UserId, uid: string): Promise<TrustedDevice | null> {
    const { ready, db } = this.#parts
    const key = { uid: parseUuid(uid) ?? '', userId: toUserId(userId) }
    await ready()
    return (await db.devices.findOwn(key))?.device ?? null
  }

  /**
   * Edits a device of a user without checking permissions. For example, restores permissions that a
   * device has given up.
   *
   * @returns the changed device, or null if it does not exist
   * @throws QuillgateError 400 `invalid_uid` or `invalid_request`
   */
  async edit(userId: UserId, uid: string, changes: DeviceChanges): Promise<TrustedDevice | null> {
    const key = { userId: toUserId(userId), uid: requireUid(uid) }
    const edits = parseDeviceChanges(changes)
    await this.#parts.ready()
    return this.#parts.changes.apply(key.userId, null, async (change) => {
      const record = await change.devices.findOwn(key)
      return record && edit(change, record, edits)
    })
  }

  /**
   * Revokes one device of a user, without checking permissions. If the device is already revoked,
   * its browser is no longer recognized.
   *
   * @returns false if the user has no such device
   */
  async revoke(
    userId: UserId,
    uid: string,
    options: { readonly reason?: RevocationReason } = {},
  ): Promise<boolean> {
    const { ready, changes } = this.#parts
    const { reason } = parse(REASON, options, 'registry.revoke')
    const owner = toUserId(userId)
    const parsed = parseUuid(uid)
    if (parsed === null) return false
    await ready()
    return changes.apply(owner, null, async (change) => {
      const which = expressionBuilder<DeviceRows, 'device'>()('uid', '=', parsed)
      const removed = await change.devices.remove(owner, which)
      if (removed.length === 0) await change.revoked.distrust(owner, which)
      await change.recordRevoked(removed, reason, null)
      return removed.length > 0
    })
  }

  /**
   * Revokes a user's devices, without checking permissions. Call this method when the password
   * changes. Browsers of devices that were already revoked are no longer recognized.
   *
   * @param options `keep`: the uid of a device that is not revoked
   * @returns the number of revoked devices
   */
  async revokeAll(
    userId: UserId,
    options: { readonly keep?: string; readonly reason?: RevocationReason } = {},
  ): Promise<number> {
    const { ready, changes } = this.#parts
    const { keep, reason } = parse(REVOKE_ALL, options, 'registry.revokeAll')
    if (keep === undefined && 'keep' in options) {
      // The caller passed `keep: undefined`, probably by mistake. The device that the caller means
      // must not be revoked.
      const problem = 'must be the uid of a device; leave the option out to keep no device'
      throw new ConfigurationError('registry.revokeAll.keep', problem)
    }
    const owner = toUserId(userId)
    const kept = keep === undefined ? undefined : requireUid(keep)
    await ready()
    return revokeDevices(changes, owner, reason, kept)
  }

  /**
   * Revokes all users' devices that match a filter, without checking permissions. Sends the signals
   * of 20 users at a time. Does not wait for these signals before it revokes further devices. With
   * `dryRun`, only counts the devices and returns a sample. If the call was interrupted, repeat it.
   *
   * @throws QuillgateError 400 `invalid_request` for a wrong filter, or for a filter without
   * conditions
   *
   * @example
   * const conditions = { country: 'DE', seenBefore: new Date('2026-01-01') }
   * const { revoked, sample } = await devices.registry.revokeWhere(conditions, { dryRun: true })
   * await devices.registry.revokeWhere(conditions, { reason: 'incident_42' })
   */
  async revokeWhere(
    filter: DeviceFilter,
    options: { readonly reason?: RevocationReason; readonly dryRun?: boolean } = {},
  ): Promise<RevocationReport> {
    const { ready, changes, db } = this.#parts
    const { reason, dryRun } = parse(REVOKE_WHERE, options, 'registry.revokeWhere')
    const which = parseFilter(filter)
    await ready()
    if (!dryRun) return { ...(await revokeWhere(changes, db, which, reason)), dryRun, sample: [] }
    const records = await db.devices.findPage(which, SAMPLE_SIZE)
    const sample = records.map(({ device }) => device)
    return { revoked: await db.devices.count(which), failures: [], dryRun, sample }
  }

  /**
   * Revokes the stale devices of all users. Shortens or removes addresses that are older than
   * `addressRetention` or `networkRetention`. Deletes the records of devices that were revoked more
   * than 400 days ago.
   *
   * @param options `olderThan`: seconds since the last use, by default the setting `staleAfter`;
   * `dryRun`: only count the stale devices
   */
  async cleanup(
    options: { readonly olderThan?: number; readonly dryRun?: boolean } = {},
  ): Promise<CleanupReport> {
    const { ready, changes, db, personalData, settings, clock } = this.#parts
    const { olderThan, dryRun } = parse(CLEANUP, options, 'registry.cleanup')
    if (olderThan !== undefined)
      requireStaleAge('registry.cleanup.olderThan', olderThan, settings.lastSeenInterval)
    await ready()
    const now = clock()
    let reducedAddresses = 0
    if (!dryRun) {
      await db.revoked.forget(now - REVOKED_DEVICE_AGE)
      const cutoffs = addressCutoffs(settings, now)
      for (const part of personalData)
        reducedAddresses += (await part.reduceAddresses?.(db.executor, cutoffs)) ?? 0
    }
    const age = olderThan ?? settings.staleAfter
    if (age === null)
      return { revoked: 0, failures: [], reducedAddresses, seenBefore: null, dryRun }
    const seenBefore = new Date(Math.floor(now - age * 1000))
    const eb = expressionBuilder<DeviceRows, 'device'>()
    const stale = eb('lastSeenAt', '<', seenBefore.getTime())
    const done = dryRun
      ? { revoked: await db.devices.count(stale), failures: [] }
      : await revokeWhere(changes, db, stale, 'stale')
    return { ...done, reducedAddresses, seenBefore, dryRun }
  }
}
