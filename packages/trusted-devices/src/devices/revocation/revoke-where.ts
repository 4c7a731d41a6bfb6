import { type Expression, expressionBuilder, type Kysely, type SqlBool } from 'kysely'
import type { Changes } from '../changes.ts'
import type { RevocationReason } from '../device-event.ts'
import type { DeviceDatabase } from '../tables/device-database.ts'
import type { DeviceRows } from '../tables/schema.ts'
import { PacedPublication } from './paced-publication.ts'

/** The result of revoking devices of many users. */
export interface ManyRevoked {
  readonly revoked: number
  /** Users whose devices could not be revoked. */
  readonly failures: readonly { readonly userId: string; readonly error: unknown }[]
}

/**
 * Revokes the devices that match a condition, one transaction per user. Each DELETE checks the
 * condition again, so a device that no longer matches is kept. Revokes the devices of the next user
 * without waiting for receivers, so that all sessions end soon. The condition can also match
 * devices that were revoked earlier. Their browsers are then no longer recognized, unless the
 * reason is `stale`.
 *
 * @param which a condition on columns that the table of revoked devices also has
 */
export async function revokeWhere(
  changes: Changes,
  db: DeviceDatabase,
  which: Expression<SqlBool>,
  reason: RevocationReason,
): Promise<ManyRevoked> {
  const distrusts = reason !== 'stale'
  const rows = db.on(db.executor)
  const publication = new PacedPublication(changes.outlet)
  let revoked = 0
  const failures = new Map<string, unknown>() // After a failure, a user is not tried again.
  try {
    for await (const userId of ownersOf(rows, which, distrusts)) {
      if (failures.has(userId)) continue
      try {
        const { result, events } = await changes.run(userId, async (change) => {
          const removed = await change.devices.remove(userId, which)
          if (distrusts) await change.revoked.distrust(userId, which)
          await change.recordRevoked(removed, reason, null)
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

/** Yields the owners of matching devices. A user may be yielded twice. */
async function* ownersOf(
  rows: Kysely<DeviceRows>,
  which: Expression<SqlBool>,
  withRevoked: boolean,
): AsyncGenerator<string> {
  const eb = expressionBuilder<DeviceRows, 'deviceRevoked'>()
  yield* ownersIn(rows, 'device', which)
  if (!withRevoked) return
  yield* ownersIn(rows, 'deviceRevoked', eb.and([which, eb('mayReturn', '=', true)]))
}

const USERS_PER_READ = 500

async function* ownersIn(
  rows: Kysely<DeviceRows>,
  table: 'device' | 'deviceRevoked',
  which: Expression<SqlBool>,
): AsyncGenerator<string> {
  const search = rows.selectFrom(table).select('userId').distinct().where(which)
  const page = search.orderBy('userId').limit(USERS_PER_READ)
  let owners = await page.execute()
  while (owners.length > 0) {
    for (const { userId } of owners) yield userId
    const last = owners.at(-1)?.userId ?? ''
    owners = owners.length < USERS_PER_READ ? [] : await page.where('userId', '>', last).execute()
  }
}
