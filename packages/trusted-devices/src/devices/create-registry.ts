import {
  ConfigurationError,
  checks,
  field,
  type Input,
  optional,
  parse,
} from '@quillgate/server/core'
import type { AddressPolicy } from '../privacy/address-policy.ts'
import { type AllSettings, requireStaleAge } from '../settings.ts'
import { parseUuid, requireUid } from '../uuid.ts'
import { checkActing } from './acting-device.ts'
import type { Changes } from './changes.ts'
import { type DeviceEvent, type Outcome, requireReason } from './device-event.ts'
import { editAs, editDevice, parseDeviceChanges } from './edit.ts'
import { listDevices, listMatching } from './list.ts'
import type { LiveDevices } from './live-devices.ts'
import type { DeviceRegistry, UserOperations } from './registry.ts'
import { cleanUp } from './revocation/cleanup.ts'
import { type DeviceFilter, parseFilter } from './revocation/filter.ts'
import { revokeAllAs, revokeAs, revokeDevice, revokeDevices } from './revocation/revoke.ts'
import { previewRevocation, revokeWhere } from './revocation/revoke-where.ts'
import type { DeviceDatabase } from './tables/device-database.ts'
import { type DataPlaces, eraseUser, exportUser, removeUser } from './user-data.ts'
import type { DeletedUser, UserDirectory } from './users.ts'

/** The collaborators of the registry. */
export interface RegistryParts {
  readonly changes: Changes
  readonly live: LiveDevices
  readonly db: DeviceDatabase
  readonly places: DataPlaces
  readonly users: UserDirectory
  readonly policy: AddressPolicy
  readonly settings: AllSettings
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

/** How the registry publishes the events of its changes. */
export interface EventOutlet {
  /**
   * Publishes the events of one user, and waits for receivers as long as an answer may.
   *
   * @param user looked up if missing
   */
  readonly publish: (events: readonly DeviceEvent[], user?: DeletedUser) => Promise<void>
  /** Publishes the events of one user, and waits until the receivers are done, up to a deadline. */
  readonly publishFully: (events: readonly DeviceEvent[]) => Promise<void>
}

const word = checks.matching(/./s, 'must be text, not empty')
const REASON = { reason: field(word, 'application') }
const REVOKE_WHERE = { ...REASON, dryRun: field(checks.boolean, false) }
const REVOKE_ALL = { ...REASON, keep: optional(word) }
const KEEP_CURRENT = { keepCurrent: field(checks.boolean, false) }
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
 * Checks the options of `revokeAll`. If the device to keep is undefined by mistake, it must not be
 * revoked.
 */
function revokeAllOptions(options: Input<typeof REVOKE_ALL>) {
  const parsed = parse(REVOKE_ALL, options, 'registry.revokeAll')
  if (parsed.keep === undefined && 'keep' in options) {
    const problem = 'must be the uid of a device; leave it out to keep none'
    throw new ConfigurationError('registry.revokeAll.keep', problem)
  }
  return parsed
}

/**
 * Creates the registry. Its methods check their arguments, wait for `ready`, and publish their
 * events.
 *
 * @param ready fulfils when the tables exist
 */
export function createRegistry(
  parts: RegistryParts,
  ready: () => Promise<void>,
  outlet: EventOutlet,
): DeviceRegistry {
  return {
    ...readMethods(parts, ready),
    ...changeMethods(parts, createRun(ready, outlet)),
    ...bulkMethods(parts, ready, outlet),
  }
}

/** The methods that change nothing. */
function readMethods(
  { users: { toUserId }, db: { devices } }: RegistryParts,
  ready: () => Promise<void>,
): Pick<DeviceRegistry, 'list' | 'listAll' | 'get'> {
  return {
    async list(userId, given = {}) {
      const options = parse(PAGE, given, 'registry.list')
      await ready()
      return listDevices(devices, toUserId(userId), options)
    },
    async listAll(given = {}) {
      const { filter, ...options } = parse(FILTERED_PAGE, given, 'registry.listAll')
      const parsed = parseFilter(filter, toUserId)
      await ready()
      return listMatching(devices, parsed, options)
    },
    async get(userId, uid) {
      const owner = toUserId(userId)
      const parsed = parseUuid(uid)
      await ready()
      const record = parsed === null ? null : await devices.find(parsed)
      return record?.device.userId === owner ? record.device : null
    },
  }
}

/** The methods that change devices of one user. */
function changeMethods(
  { changes, settings, users: { toUserId } }: RegistryParts,
  run: ReturnType<typeof createRun>,
): Pick<DeviceRegistry, 'edit' | 'editAs' | 'revoke' | 'revokeAs' | 'revokeAll' | 'revokeAllAs'> {
  return {
    edit: (userId, uid, edits) =>
      run(() => editDevice(changes, toUserId(userId), requireUid(uid), parseDeviceChanges(edits))),
    async editAs(acting, uid, given) {
      checkActing('registry.editAs', acting)
      const edits = parseDeviceChanges(given)
      return run(() => editAs(changes, settings, acting, requireUid(uid), edits))
    },
    async revoke(userId, uid, options = {}) {
      const { reason } = parse(REASON, options, 'registry.revoke')
      const parsed = parseUuid(uid)
      requireReason(reason)
      return parsed !== null && run(() => revokeDevice(changes, toUserId(userId), parsed, reason))
    },
    async revokeAs(acting, uid) {
      checkActing('registry.revokeAs', acting)
      return run(() => revokeAs(changes, settings, acting, requireUid(uid)))
    },
    async revokeAll(userId, options = {}) {
      const { keep, reason } = revokeAllOptions(options)
      requireReason(reason)
      const kept = keep === undefined ? undefined : requireUid(keep)
      return run(() => revokeDevices(changes, toUserId(userId), reason, kept))
    },
    async revokeAllAs(acting, options = {}) {
      checkActing('registry.revokeAllAs', acting)
      const { keepCurrent } = parse(KEEP_CURRENT, options, 'registry.revokeAllAs')
      return run(() => revokeAllAs(changes, settings, acting, keepCurrent))
    },
  }
}

/** The methods that revoke devices of many users. They wait for receivers. */
function bulkMethods(
  { changes, db, places, users, settings, clock }: RegistryParts,
  ready: () => Promise<void>,
  { publishFully }: EventOutlet,
): Pick<DeviceRegistry, 'revokeWhere' | 'cleanup'> {
  return {
    async revokeWhere(filter, options = {}) {
      const { reason, dryRun } = parse(REVOKE_WHERE, options, 'registry.revokeWhere')
      const parsed = parseFilter(filter, users.toUserId)
      requireReason(reason)
      await ready()
      return dryRun
        ? previewRevocation(db, parsed)
        : revokeWhere(changes, db, parsed, reason, publishFully)
    },
    async cleanup(options = {}) {
      const { olderThan = null, dryRun } = parse(CLEANUP, options, 'registry.cleanup')
      if (olderThan !== null) requireStaleAge('registry.cleanup.olderThan', olderThan, settings)
      await ready()
      const how = { olderThan: olderThan ?? settings.staleAfter, dryRun, now: clock() }
      return cleanUp(changes, db, places.own, how, publishFully)
    },
  }
}

/**
 * Creates the operations on all data of one user.
 *
 * @param ready fulfils when the tables exist
 */
export function createUserOperations(
  { changes, db, places, users, clock }: RegistryParts,
  ready: () => Promise<void>,
  outlet: EventOutlet,
): UserOperations {
  const { toUserId } = users
  const run = createRun(ready, outlet)
  return {
    find: async (userId) => users.find(toUserId(userId)),
    addData: (place) => void places.added.push(place),
    deleted: (userId) => run(() => removeUser(changes, places, toUserId(userId))),
    deactivated: (userId) =>
      run(() => revokeDevices(changes, toUserId(userId), 'user_deactivated')),
    async export(userId) {
      await ready()
      return exportUser(db, places, toUserId(userId), clock())
    },
    async erase(userId) {
      const id = toUserId(userId)
      return run(() => eraseUser(changes, places, id), users.deleted(id))
    },
  }
}

/** Runs a change after `ready`, and publishes its events. */
function createRun(ready: () => Promise<void>, { publish }: EventOutlet) {
  return async <Result>(
    work: () => Promise<Outcome<Result>>,
    user?: DeletedUser,
  ): Promise<Result> => {
    await ready()
    const { result, events } = await work()
    await publish(events, user)
    return result
  }
}
