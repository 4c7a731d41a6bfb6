import type { Expression, SqlBool } from 'kysely'
import type { Changes } from '../changes.ts'
import type { RevocationReason } from '../device-event.ts'
import type { EventOutlet } from '../registry.ts'
import type { DeviceDatabase } from '../tables/device-database.ts'
import type { TrustedDevice } from '../trusted-device.ts'
import { PacedPublication } from './paced-publication.ts'

/** A user whose devices could not be revoked. */
export interface CleanupFailure {
  readonly userId: string
  readonly error: unknown
}

/** The result of a revocation from many users. */
export interface ManyRevoked {
  readonly revoked: number
  /** Users whose devices could not be revoked. The devices of the others were. */
  readonly failures: readonly CleanupFailure[]
}

/** The result of a revocation by a filter. `revoked` of a dry run is the number of devices. */
export interface RevocationReport extends ManyRevoked {
  readonly dryRun: boolean
  /** In a dry run the ten that were used last, else none. */
  readonly sample: readonly TrustedDevice[]
}

const SAMPLE_SIZE = 10

/** Counts the devices that match a condition, and returns some. */
export async function previewRevocation(
  { devices }: DeviceDatabase,
  which: Expression<SqlBool>,
): Promise<RevocationReport> {
  const records = await devices.findPage(which, SAMPLE_SIZE)
  const revoked = await devices.count(which)
  return { revoked, dryRun: true, sample: records.map(({ device }) => device), failures: [] }
}

/**
 * Revokes the devices that match a condition, one transaction per user. The condition is part of
 * each delete, so a device that changed meanwhile stays. If it was interrupted, run it again.
 * No transaction waits for receivers, so that all sessions end soon. The result does.
 * Revoked devices that match the condition may no longer return, except for the reason `stale`.
 *
 * @param which a condition on columns that revoked devices have, too
 */
export async function revokeWhere(
  changes: Changes,
  db: DeviceDatabase,
  which: Expression<SqlBool>,
  reason: RevocationReason,
  outlet: EventOutlet,
): Promise<ManyRevoked> {
  const distrusts = reason !== 'stale'
  const publication = new PacedPublication(outlet)
  let revoked = 0
  const failures = new Map<string, unknown>() // A user who failed is not tried again.
  try {
    for await (const userId of ownersOf(db, which, distrusts)) {
      if (failures.has(userId)) continue
      try {
        const { result, events } = await changes.run(userId, async (change) => {
          const removed = await change.devices.remove(userId, which)
          if (distrusts) await change.revoked.distrust(userId, which)
          await change.ended(removed, reason, null)
          return removed.length
        })
        revoked += result
        publication.add(events)
      } catch (error) {
        failures.set(userId, error)
      }
    }
  } finally {
    await publication.done()
  }
  return { revoked, failures: [...failures].map(([userId, error]) => ({ userId, error })) }
}

const USERS_PER_READ = 500

/** Yields the users of the devices that match a condition. A user with both kinds comes twice. */
async function* ownersOf(
  { devices, revoked }: DeviceDatabase,
  which: Expression<SqlBool>,
  withRevoked: boolean,
): AsyncGenerator<string> {
  const reads = [
    (after: string) => devices.owners(which, after, USERS_PER_READ),
    ...(withRevoked
      ? [(after: string) => revoked.ownersOfReturning(which, after, USERS_PER_READ)]
      : []),
  ]
  for (const read of reads) {
    let owners = await read('')
    while (owners.length > 0) {
      yield* owners
      owners = owners.length < USERS_PER_READ ? [] : await read(owners.at(-1) ?? '')
    }
  }
}
