import {
  anything,
  boolean,
  ConfigurationError,
  field,
  type Input,
  matching,
  optional,
  parse,
  positiveSeconds,
} from '@quillgate/server/core'
import { requireStaleAge } from '../settings.ts'
import { parseUuid, requireUid } from '../uuid.ts'
import { checkActing } from './acting-device.ts'
import { parseDeviceChanges } from './device-changes.ts'
import type { DeviceEvent, Outcome } from './device-event.ts'
import { findDevice } from './device-use.ts'
import { editAs, editDevice } from './edit.ts'
import { listDevices, listMatching } from './list.ts'
import type { DeviceRegistry, UserOperations } from './registry.ts'
import type { RegistryParts } from './registry-parts.ts'
import { cleanUp } from './revocation/cleanup.ts'
import { type DeviceFilter, parseFilter } from './revocation/filter.ts'
import {
  removeUser,
  revokeAllAs,
  revokeAs,
  revokeDevice,
  revokeDevices,
} from './revocation/revoke.ts'
import { previewRevocation, revokeWhere } from './revocation/revoke-where.ts'
import { requireReason } from './revocation-reason.ts'
import type { DeletedUser } from './user.ts'
import { eraseUser, exportUser } from './user-data.ts'
import type { UserDirectory } from './user-directory.ts'

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

const word = matching(/./s, 'must be text, not empty')
const REASON = { reason: field(word, 'application') }
const REVOKE_WHERE = { ...REASON, dryRun: field(boolean, false) }
const REVOKE_ALL = { ...REASON, keep: optional(word) }
const CLEANUP = { olderThan: optional(positiveSeconds()), dryRun: field(boolean, false) }
const PAGE = { limit: optional(anything<number>()), cursor: optional(anything<string | null>()) }
const FILTERED_PAGE = { ...PAGE, filter: field(anything<DeviceFilter>(), { everything: true }) }

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
  { publish, publishFully }: EventOutlet,
): DeviceRegistry {
  return {
    ...readMethods(parts, ready),
    ...changeMethods(parts, createRun(ready, publish)),
    ...bulkMethods(parts, ready, publishFully),
  }
}

/** The methods that change nothing. */
function readMethods(
  parts: RegistryParts,
  ready: () => Promise<void>,
): Pick<DeviceRegistry, 'list' | 'listAll' | 'get'> {
  const { toUserId } = parts
  return {
    async list(userId, given = {}) {
      const options = parse(PAGE, given, 'registry.list')
      await ready()
      return listDevices(parts, toUserId(userId), options)
    },
    async listAll(given = {}) {
      const { filter, ...options } = parse(FILTERED_PAGE, given, 'registry.listAll')
      const parsed = parseFilter(filter, toUserId)
      await ready()
      return listMatching(parts, parsed, options)
    },
    async get(userId, uid) {
      const owner = toUserId(userId)
      const parsed = parseUuid(uid)
      await ready()
      const record = parsed === null ? null : await findDevice(parts, parsed)
      return record?.device.userId === owner ? record.device : null
    },
  }
}

/** The methods that change devices of one user. */
function changeMethods(
  parts: RegistryParts,
  run: ReturnType<typeof createRun>,
): Pick<DeviceRegistry, 'edit' | 'editAs' | 'revoke' | 'revokeAs' | 'revokeAll' | 'revokeAllAs'> {
  const { toUserId } = parts
  return {
    edit: (userId, uid, changes) =>
      run(() => editDevice(parts, toUserId(userId), requireUid(uid), parseDeviceChanges(changes))),
    async editAs(acting, uid, changes) {
      checkActing('registry.editAs', acting)
      return run(() => editAs(parts, acting, requireUid(uid), parseDeviceChanges(changes)))
    },
    async revoke(userId, uid, options = {}) {
      const { reason } = parse(REASON, options, 'registry.revoke')
      const parsed = parseUuid(uid)
      requireReason(reason)
      return parsed !== null && run(() => revokeDevice(parts, toUserId(userId), parsed, reason))
    },
    async revokeAs(acting, uid) {
      checkActing('registry.revokeAs', acting)
      return run(() => revokeAs(parts, acting, requireUid(uid)))
    },
    async revokeAll(userId, options = {}) {
      const { keep, reason } = revokeAllOptions(options)
      requireReason(reason)
      const kept = keep === undefined ? undefined : requireUid(keep)
      return run(() => revokeDevices(parts, toUserId(userId), reason, kept))
    },
    async revokeAllAs(acting, options = {}) {
      checkActing('registry.revokeAllAs', acting)
      const schema = { keepCurrent: field(boolean, false) }
      const { keepCurrent } = parse(schema, options, 'registry.revokeAllAs')
      return run(() => revokeAllAs(parts, acting, keepCurrent))
    },
  }
}

/** The methods that revoke devices of many users. They wait for receivers. */
function bulkMethods(
  parts: RegistryParts,
  ready: () => Promise<void>,
  publishFully: EventOutlet['publishFully'],
): Pick<DeviceRegistry, 'revokeWhere' | 'cleanup'> {
  const { toUserId, settings } = parts
  return {
    async revokeWhere(filter, options = {}) {
      const { reason, dryRun } = parse(REVOKE_WHERE, options, 'registry.revokeWhere')
      const parsed = parseFilter(filter, toUserId)
      requireReason(reason)
      await ready()
      return dryRun
        ? previewRevocation(parts, parsed)
        : revokeWhere(parts, parsed, reason, publishFully)
    },
    async cleanup(options = {}) {
      const { olderThan, dryRun } = parse(CLEANUP, options, 'registry.cleanup')
      if (olderThan !== undefined)
        requireStaleAge('registry.cleanup.olderThan', olderThan, settings)
      await ready()
      return cleanUp(parts, olderThan ?? settings.staleAfter, dryRun, publishFully)
    },
  }
}

/**
 * Creates the operations on all data of one user.
 *
 * @param ready fulfils when the tables exist
 */
export function createUserOperations(
  parts: RegistryParts,
  ready: () => Promise<void>,
  { publish }: Pick<EventOutlet, 'publish'>,
  users: Pick<UserDirectory, 'find' | 'deleted'>,
): UserOperations {
  const { toUserId } = parts
  const run = createRun(ready, publish)
  return {
    find: async (userId) => users.find(toUserId(userId)),
    addData: (place) => void parts.otherData.push(place),
    deleted: (userId) => run(() => removeUser(parts, toUserId(userId))),
    deactivated: (userId) => run(() => revokeDevices(parts, toUserId(userId), 'user_deactivated')),
    async export(userId) {
      await ready()
      return exportUser(parts, toUserId(userId))
    },
    async erase(userId) {
      const id = toUserId(userId)
      await ready()
      const { result, events } = await eraseUser(parts, id)
      await publish(events, users.deleted(id))
      return result
    },
  }
}

/** Runs a change after `ready`, and publishes its events. */
function createRun(ready: () => Promise<void>, publish: EventOutlet['publish']) {
  return async <Result>(work: () => Promise<Outcome<Result>>): Promise<Result> => {
    await ready()
    const { result, events } = await work()
    await publish(events)
    return result
  }
}
