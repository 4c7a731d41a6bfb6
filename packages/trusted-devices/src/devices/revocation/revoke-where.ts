import type { Changes } from '../changes.ts'
import type { RevocationReason } from '../device-event.ts'
import type { DeviceDatabase } from '../tables/device-database.ts'
import type { TrustedDevice } from '../trusted-device.ts'
import type { ParsedFilter } from './filter.ts'
import { type ManyRevoked, type PublishFully, revokeFromMany } from './many-users.ts'
import { countMatching, findMatchingOwners, findMatchingPage, removeMatching } from './matching.ts'

/** The result of a revocation by a filter. `revoked` of a dry run is the number of devices. */
export interface RevocationReport extends ManyRevoked {
  readonly dryRun: boolean
  /** In a dry run the ten that were used last, else none. */
  readonly sample: readonly TrustedDevice[]
}

const SAMPLE_SIZE = 10

/** Counts the devices that a filter means, and returns some. */
export async function previewRevocation(
  { devices }: DeviceDatabase,
  filter: ParsedFilter,
): Promise<RevocationReport> {
  const { records } = await findMatchingPage(devices, filter, { limit: SAMPLE_SIZE, after: null })
  const revoked = await countMatching(devices, filter)
  return { revoked, dryRun: true, sample: records.map(({ device }) => device), failures: [] }
}

/**
 * Revokes the devices that a filter means, one transaction per user. The filter is part of each
 * delete, so a device that changed meanwhile stays. If it was interrupted, run it again.
 *
 * Revoked devices that the filter means may no longer return. If the filter needs a column that
 * they do not have, that is true for all revoked devices of the users whose devices it means.
 */
export async function revokeWhere(
  changes: Changes,
  db: DeviceDatabase,
  filter: ParsedFilter,
  reason: RevocationReason,
  publish: PublishFully,
): Promise<RevocationReport> {
  const revoke = (userId: string) =>
    changes.run(userId, async (change) => {
      const removed = await removeMatching(change.devices, userId, filter)
      if (filter.revoked || removed.length > 0)
        await change.revoked.distrust(userId, filter.revoked)
      await change.ended(removed, reason, null)
      return removed.length
    })
  const done = await revokeFromMany(ownersOf(db, filter), revoke, publish)
  return { ...done, dryRun: false, sample: [] }
}

const USERS_PER_READ = 500

/** The users whose devices a filter means: those with live devices first. */
async function* ownersOf(
  { devices, revoked }: DeviceDatabase,
  filter: ParsedFilter,
): AsyncGenerator<string> {
  yield* findMatchingOwners(devices, filter)
  if (!filter.revoked) return
  for (let last = ''; ; ) {
    const owners = await revoked.ownersOfReturning(filter.revoked, last, USERS_PER_READ)
    yield* owners
    if (owners.length < USERS_PER_READ) return
    last = owners.at(-1) ?? ''
  }
}
