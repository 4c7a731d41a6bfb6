import { ConfigurationError } from '@quillgate/server/core'
import { isDuration, requireStaleAge } from '../../settings.ts'
import { parseUuid, requireUid } from '../../uuid.ts'
import { parseDeviceChanges } from '../device-changes.ts'
import type { DeviceOperations } from '../device-operations.ts'
import type { DeviceFact, Outcome } from '../facts.ts'
import type { RegistryParts } from '../registry-parts.ts'
import { requireReason } from '../revocation-reason.ts'
import type { DeletedUser } from '../user.ts'
import { updateSession } from './application-session.ts'
import { cleanUp } from './cleanup.ts'
import { editAs, editDevice } from './edit.ts'
import { parseFilter } from './filter.ts'
import { listDevices, listMatching } from './list.ts'
import { removeUser, revokeAllAs, revokeAs, revokeDevice, revokeDevices } from './revocation.ts'
import { previewRevocation, revokeWhere } from './revoke-where.ts'
import { eraseUser, exportUser } from './user-data.ts'

/** The publisher as operations use it. */
export interface EventOutlet {
  /**
   * Publishes the facts of one user, and waits for receivers as long as an answer may.
   *
   * @param user looked up if missing
   */
  readonly publish: (facts: readonly DeviceFact[], user?: DeletedUser) => Promise<void>
  /** Publishes the facts of one user, and waits until the receivers are done, up to a deadline. */
  readonly publishFully: (facts: readonly DeviceFact[]) => Promise<void>
  /** The user in the payloads of events about a user who was erased. */
  readonly deletedUser: (userId: string) => DeletedUser
}

/**
 * The operations of an application: they check what they are given, wait for `ready`, and tell their facts.
 *
 * @param ready fulfils when the tables are there
 */
export function createOperations(
  parts: RegistryParts,
  ready: () => Promise<void>,
  { publish, publishFully, deletedUser }: EventOutlet,
): DeviceOperations {
  const { toUserId } = parts.filterRules
  const run = async <Result>(work: () => Promise<Outcome<Result>>): Promise<Result> => {
    await ready()
    const { result, facts } = await work()
    await publish(facts)
    return result
  }
  return {
    async list(userId, options) {
      await ready()
      return listDevices(parts, toUserId(userId), options)
    },
    async listAll({ filter, ...options } = {}) {
      const parsed = parseFilter(
        filter === undefined ? { everything: true } : filter,
        parts.filterRules,
      )
      await ready()
      return listMatching(parts, parsed, options)
    },
    async revokeWhere(filter, { reason = 'application', dryRun = false } = {}) {
      const parsed = parseFilter(filter, parts.filterRules)
      requireReason(reason)
      await ready()
      return dryRun
        ? previewRevocation(parts, parsed)
        : revokeWhere(parts, parsed, reason, publishFully)
    },
    async revoke(userId, uid, { reason = 'application' } = {}) {
      const parsed = parseUuid(uid)
      requireReason(reason)
      return parsed !== null && run(() => revokeDevice(parts, toUserId(userId), parsed, reason))
    },
    async revokeAll(userId, { keep, reason = 'application' } = {}) {
      requireReason(reason)
      return run(() =>
        revokeDevices(
          parts,
          toUserId(userId),
          reason,
          keep === undefined ? undefined : requireUid(keep),
        ),
      )
    },
    revokeAs: (acting, uid) => run(() => revokeAs(parts, acting, requireUid(uid))),
    revokeAllAs: (acting, { keepCurrent = false } = {}) =>
      run(() => revokeAllAs(parts, acting, keepCurrent)),
    edit: (userId, uid, changes) =>
      run(() => editDevice(parts, toUserId(userId), requireUid(uid), parseDeviceChanges(changes))),
    editAs: (acting, uid, changes) =>
      run(() => editAs(parts, acting, requireUid(uid), parseDeviceChanges(changes))),
    async cleanup({ olderThan, dryRun = false } = {}) {
      if (olderThan !== undefined) {
        if (!isDuration(olderThan)) {
          throw new ConfigurationError(
            'olderThan',
            'must be a number of seconds above 0, at most a century',
            olderThan,
          )
        }
        requireStaleAge('olderThan', olderThan, parts.settings)
      }
      await ready()
      return cleanUp(parts, olderThan ?? parts.settings.staleAfter, dryRun, publishFully)
    },
    async updateSession(device, sessionId) {
      await ready()
      return updateSession(parts, device, sessionId)
    },
    userDeleted: (userId) => run(() => removeUser(parts, toUserId(userId))),
    async exportUser(userId) {
      await ready()
      return exportUser(parts, toUserId(userId))
    },
    eraseUser: async (userId) => {
      const id = toUserId(userId)
      await ready()
      const { result, facts } = await eraseUser(parts, id)
      await publish(facts, deletedUser(id))
      return result
    },
    userDeactivated: (userId) =>
      run(() => revokeDevices(parts, toUserId(userId), 'user_deactivated')),
  }
}
