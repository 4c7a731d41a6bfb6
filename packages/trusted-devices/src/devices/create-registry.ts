import { ConfigurationError } from '@quillgate/server/core'
import { isDuration, requireStaleAge } from '../settings.ts'
import { parseUuid, requireUid } from '../uuid.ts'
import { parseDeviceChanges } from './device-changes.ts'
import type { DeviceFact, Outcome } from './facts.ts'
import { cleanUp } from './operations/cleanup.ts'
import { findDevice } from './operations/device-use.ts'
import { editAs, editDevice } from './operations/edit.ts'
import { parseFilter } from './operations/filter.ts'
import { listDevices, listMatching } from './operations/list.ts'
import {
  removeUser,
  revokeAllAs,
  revokeAs,
  revokeDevice,
  revokeDevices,
} from './operations/revocation.ts'
import { previewRevocation, revokeWhere } from './operations/revoke-where.ts'
import { eraseUser, exportUser } from './operations/user-data.ts'
import type { DeviceRegistry, UserOperations } from './registry.ts'
import type { RegistryParts } from './registry-parts.ts'
import { requireReason } from './revocation-reason.ts'
import type { DeletedUser } from './user.ts'

/** How the registry publishes the events of its changes. */
export interface EventOutlet {
  /**
   * Publishes the events of one user, and waits for receivers as long as an answer may.
   *
   * @param user looked up if missing
   */
  readonly publish: (facts: readonly DeviceFact[], user?: DeletedUser) => Promise<void>
  /** Publishes the events of one user, and waits until the receivers are done, up to a deadline. */
  readonly publishFully: (facts: readonly DeviceFact[]) => Promise<void>
}

/**
 * Creates the registry. Its methods check their arguments, wait for `ready`, and publish their events.
 *
 * @param ready fulfils when the tables exist
 */
export function createRegistry(
  parts: RegistryParts,
  ready: () => Promise<void>,
  { publish, publishFully }: EventOutlet,
): DeviceRegistry {
  const { toUserId, settings } = parts
  const run = createRun(ready, publish)
  return {
    async list(userId, options) {
      await ready()
      return listDevices(parts, toUserId(userId), options)
    },
    async listAll({ filter = { everything: true }, ...options } = {}) {
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
    edit: (userId, uid, changes) =>
      run(() => editDevice(parts, toUserId(userId), requireUid(uid), parseDeviceChanges(changes))),
    editAs: (acting, uid, changes) =>
      run(() => editAs(parts, acting, requireUid(uid), parseDeviceChanges(changes))),
    async revoke(userId, uid, { reason = 'application' } = {}) {
      const parsed = parseUuid(uid)
      requireReason(reason)
      return parsed !== null && run(() => revokeDevice(parts, toUserId(userId), parsed, reason))
    },
    revokeAs: (acting, uid) => run(() => revokeAs(parts, acting, requireUid(uid))),
    async revokeAll(userId, { keep, reason = 'application' } = {}) {
      requireReason(reason)
      const kept = keep === undefined ? undefined : requireUid(keep)
      return run(() => revokeDevices(parts, toUserId(userId), reason, kept))
    },
    revokeAllAs: (acting, { keepCurrent = false } = {}) =>
      run(() => revokeAllAs(parts, acting, keepCurrent)),
    async revokeWhere(filter, { reason = 'application', dryRun = false } = {}) {
      const parsed = parseFilter(filter, toUserId)
      requireReason(reason)
      await ready()
      return dryRun
        ? previewRevocation(parts, parsed)
        : revokeWhere(parts, parsed, reason, publishFully)
    },
    async cleanup({ olderThan, dryRun = false } = {}) {
      if (olderThan !== undefined && !isDuration(olderThan)) {
        const expected = 'must be a number of seconds above 0, at most a century'
        throw new ConfigurationError('olderThan', expected, olderThan)
      }
      if (olderThan !== undefined) requireStaleAge('olderThan', olderThan, settings)
      await ready()
      return cleanUp(parts, olderThan ?? settings.staleAfter, dryRun, publishFully)
    },
  }
}

/**
 * Creates the operations on all data of one user.
 *
 * @param ready fulfils when the tables exist
 * @param deletedUser the user in the payloads of events about a user who was erased
 */
export function createUserOperations(
  parts: RegistryParts,
  ready: () => Promise<void>,
  { publish }: Pick<EventOutlet, 'publish'>,
  deletedUser: (userId: string) => DeletedUser,
): UserOperations {
  const { toUserId } = parts
  const run = createRun(ready, publish)
  return {
    deleted: (userId) => run(() => removeUser(parts, toUserId(userId))),
    deactivated: (userId) => run(() => revokeDevices(parts, toUserId(userId), 'user_deactivated')),
    async export(userId) {
      await ready()
      return exportUser(parts, toUserId(userId))
    },
    async erase(userId) {
      const id = toUserId(userId)
      await ready()
      const { result, facts } = await eraseUser(parts, id)
      await publish(facts, deletedUser(id))
      return result
    },
  }
}

/** Runs a change after `ready`, and publishes its events. */
function createRun(ready: () => Promise<void>, publish: EventOutlet['publish']) {
  return async <Result>(work: () => Promise<Outcome<Result>>): Promise<Result> => {
    await ready()
    const { result, facts } = await work()
    await publish(facts)
    return result
  }
}
