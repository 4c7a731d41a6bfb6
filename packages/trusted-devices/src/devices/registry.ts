import {
  ConfigurationError,
  checks,
  field,
  optional,
  parse,
  toUserId,
  type UserId,
} from '@quillgate/server/core'
import { type AllSettings, requireStaleAge } from '../settings.ts'
import { parseUuid, requireUid } from '../uuid.ts'
import type { Changes } from './changes.ts'
import { type DeviceEvent, type Outcome, type RevocationReason, reason } from './device-event.ts'
import { editDevice, parseDeviceChanges } from './edit.ts'
import {
  type DevicePage,
  type ListAllOptions,
  type ListOptions,
  listDevices,
  listOfUser,
} from './list.ts'
import type { LiveDevices } from './live-devices.ts'
import { type CleanupReport, cleanUp } from './revocation/cleanup.ts'
import { type DeviceFilter, parseFilter } from './revocation/filter.ts'
import { revokeDevice, revokeDevices } from './revocation/revoke.ts'
import { previewRevocation, type RevocationReport, revokeWhere } from './revocation/revoke-where.ts'
import type { DeviceDatabase } from './tables/device-database.ts'
import type { DeviceChanges } from './tables/device-table.ts'
import type { TrustedDevice } from './trusted-device.ts'
import type { DataPlaces } from './user-data.ts'
import type { DeletedUser, UserDirectory } from './users.ts'

/** The objects that the registry depends on. */
export interface RegistryParts {
  readonly changes: Changes
  readonly live: LiveDevices
  readonly db: DeviceDatabase
  readonly places: DataPlaces
  readonly users: UserDirectory
  readonly settings: AllSettings
  /** Returns the time in milliseconds since the epoch. */
  readonly clock: () => number
}

/** Publishes the events of changes. */
export interface EventOutlet {
  /**
   * Publishes the events of one user, and waits for receivers for at most `receiverTimeout`.
   *
   * @param user the user of the events; looked up if missing
   */
  publish(events: readonly DeviceEvent[], user?: DeletedUser): Promise<void>
  /** Seconds that work on many users waits for the receivers of one of them. */
  readonly deadline: number
  /**
   * Publishes the events of one user, and waits for their receivers.
   *
   * @param seconds the longest wait
   * @returns whether all of them are done
   */
  publishWithin(seconds: number, events: readonly DeviceEvent[]): Promise<boolean>
}

/** Waits for `ready`, runs a change, and publishes its events. */
export async function runAndPublish<Result>(
  ready: () => Promise<void>,
  outlet: EventOutlet,
  work: () => Promise<Outcome<Result>>,
  user?: DeletedUser,
): Promise<Result> {
  await ready()
  const { result, events } = await work()
  await outlet.publish(events, user)
  return result
}

const REASON = { reason: field<RevocationReason>(reason, 'application') }
const REVOKE_WHERE = { ...REASON, dryRun: field(checks.boolean, false) }
const REVOKE_ALL = { ...REASON, keep: optional(checks.matching(/./s, 'must be text, not empty')) }
const CLEANUP = {
  olderThan: optional(checks.positiveSeconds()),
  dryRun: field(checks.boolean, false),
}
const PAGE = {
  limit: optional(checks.anything<number>()),
  cursor: optional(checks.anything<string | null>()),
}
const FILTERED_PAGE = {
  ...PAGE,
  filter: field(checks.anything<DeviceFilter>(), { everything: true }),
}

/**
 * Lists, edits and revokes the devices of all users. When a returned promise is fulfilled, the
 * signals have been sent. `cleanup` and `revokeWhere` also wait until their receivers are done, up
 * to 60 s for those of each user.
 */
export class DeviceRegistry {
  readonly #parts: RegistryParts
  readonly #ready: () => Promise<void>
  readonly #outlet: EventOutlet

  /** Applications use `devices.registry`. */
  constructor(parts: RegistryParts, ready: () => Promise<void>, outlet: EventOutlet) {
    this.#parts = parts
    this.#ready = ready
    this.#outlet = outlet
  }

  /** Returns a user's devices, newest activity first. */
  async list(userId: UserId, options: ListOptions = {}): Promise<DevicePage> {
    const { db } = this.#parts
    const page = parse(PAGE, options, 'registry.list')
    await this.#ready()
    return listOfUser(db.devices, toUserId(userId), page)
  }

  /**
   * Returns devices of all users, newest activity first.
   *
   * @throws QuillgateError 400 `invalid_request` for a wrong filter, limit or cursor
   */
  async listAll(options: ListAllOptions = {}): Promise<DevicePage> {
    const { db } = this.#parts
    const { filter, ...page } = parse(FILTERED_PAGE, options, 'registry.listAll')
    const which = parseFilter(filter)
    await this.#ready()
    return listDevices(db.devices, which, page)
  }

  /** Returns one device of a user, or null. */
  async get(userId: UserId, uid: string): Promise<TrustedDevice | null> {
    const owner = toUserId(userId)
    await this.#ready()
    const record = await this.#parts.live.find(uid)
    return record?.device.userId === owner ? record.device : null
  }

  /**
   * Edits a device of a user without checking permissions. Use it, for example, to restore the
   * permissions of a device.
   *
   * @returns the changed device, or null if it does not exist
   */
  async edit(userId: UserId, uid: string, changes: DeviceChanges): Promise<TrustedDevice | null> {
    const owner = toUserId(userId)
    const parsed = requireUid(uid)
    const edits = parseDeviceChanges(changes)
    return this.#run(() => editDevice(this.#parts.changes, owner, parsed, edits))
  }

  /**
   * Revokes one device of a user, without checking permissions. If the device was already revoked,
   * its browser can no longer return as a known one.
   *
   * @returns false if the user has no such device
   */
  async revoke(
    userId: UserId,
    uid: string,
    options: { readonly reason?: RevocationReason } = {},
  ): Promise<boolean> {
    const { changes } = this.#parts
    const { reason } = parse(REASON, options, 'registry.revoke')
    const owner = toUserId(userId)
    const parsed = parseUuid(uid)
    return parsed !== null && this.#run(() => revokeDevice(changes, owner, parsed, reason))
  }

  /**
   * Revokes a user's devices, without checking permissions. Call it when the password changes.
   * Browsers of devices that were already revoked can no longer return as known ones.
   *
   * @param options `keep`: the uid of a device that is not revoked
   * @returns the number of revoked devices
   */
  async revokeAll(
    userId: UserId,
    options: { readonly keep?: string; readonly reason?: RevocationReason } = {},
  ): Promise<number> {
    const { changes } = this.#parts
    const { keep, reason } = parse(REVOKE_ALL, options, 'registry.revokeAll')
    if (keep === undefined && 'keep' in options) {
      // If the device to keep is undefined by mistake, it must not be revoked.
      const problem = 'must be the uid of a device; leave it out to keep none'
      throw new ConfigurationError('registry.revokeAll.keep', problem)
    }
    const owner = toUserId(userId)
    const kept = keep === undefined ? undefined : requireUid(keep)
    return this.#run(() => revokeDevices(changes, owner, reason, kept))
  }

  /**
   * Revokes the devices of all users that match a filter, without checking permissions. Sends a
   * signal for each device, to the receivers of 20 users at a time. Revocation does not wait for
   * them. With `dryRun`, it only counts the devices. If the call was interrupted, call it again.
   *
   * @throws QuillgateError 400 `invalid_request` for a wrong filter, and for one without conditions
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
    const { changes, db } = this.#parts
    const { reason, dryRun } = parse(REVOKE_WHERE, options, 'registry.revokeWhere')
    const which = parseFilter(filter)
    await this.#ready()
    if (dryRun) return previewRevocation(db, which)
    const done = await revokeWhere(changes, db, which, reason, this.#outlet)
    return { ...done, dryRun, sample: [] }
  }

  /**
   * Revokes the stale devices of all users, shortens or removes addresses that are older than
   * `addressRetention` or `networkRetention`, and deletes the records of devices that were revoked
   * more than 400 days ago.
   *
   * @param options `olderThan`: seconds since the last use, by default the setting `staleAfter`;
   * `dryRun`: only count the stale devices
   */
  async cleanup(
    options: { readonly olderThan?: number; readonly dryRun?: boolean } = {},
  ): Promise<CleanupReport> {
    const { changes, db, places, settings, clock } = this.#parts
    const { olderThan = null, dryRun } = parse(CLEANUP, options, 'registry.cleanup')
    if (olderThan !== null) requireStaleAge('registry.cleanup.olderThan', olderThan, settings)
    await this.#ready()
    const how = { olderThan: olderThan ?? settings.staleAfter, dryRun, now: clock() }
    return cleanUp(changes, db, places.own, how, this.#outlet)
  }

  #run<Result>(work: () => Promise<Outcome<Result>>): Promise<Result> {
    return runAndPublish(this.#ready, this.#outlet, work)
  }
}
