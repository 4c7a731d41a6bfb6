import { type Dialect, raw, type SqlExecutor, tuples } from '@quillgate/server/database'
import { affectedBy, type DeviceDatabase, rowsOf } from './device-database.ts'
import type { EndedDevice } from './past-devices.ts'

/**
 * The countries of devices that are gone, so that signing out everywhere does not make home a new country. Devices that
 * still exist speak for themselves.
 */
export interface DeviceCountries {
  /** Countries that a device of this user was in since a time. */
  known(tx: SqlExecutor, userId: string, since: number): Promise<string[]>
  /** Notes that a device of this user is in a country no more. @param seenAt milliseconds since the epoch */
  left(tx: SqlExecutor, userId: string, country: string, seenAt: number): Promise<void>
  /**
   * Notes where devices were that ended in an ordinary way. The countries of others are forgotten: a stranger's. One that
   * is still suspect says nothing by signing out, neither for a country nor against it.
   */
  ended(tx: SqlExecutor, userId: string, devices: readonly EndedDevice[]): Promise<void>
  /** Forgets some countries of a user. */
  forgetThese(tx: SqlExecutor, userId: string, countries: readonly string[]): Promise<void>
  /** Forgets what is older, of all users. */
  forget(tx: SqlExecutor, before: number): Promise<void>
  /** Forgets all of a user. */
  forgetUser(tx: SqlExecutor, userId: string): Promise<void>
}

/** Writes the statements. @param isOn false: nothing is noted; what was noted before is still forgotten */
export function createDeviceCountries(
  { sql, tables: { country: table } }: DeviceDatabase,
  dialect: Dialect,
  isOn: boolean,
): DeviceCountries {
  const newest = raw(
    dialect === 'mariadb'
      ? ' ON DUPLICATE KEY UPDATE seen_at = VALUES(seen_at)'
      : ' ON CONFLICT (user_id, country) DO UPDATE SET seen_at = excluded.seen_at',
  )
  const forgetCountry = (tx: SqlExecutor, userId: string, country: string): Promise<number> =>
    affectedBy(tx, sql`DELETE FROM ${table} WHERE user_id = ${userId} AND country = ${country}`)
  const note = async (
    tx: SqlExecutor,
    userId: string,
    seen: ReadonlyMap<string, number>,
  ): Promise<void> => {
    const rows = [...seen].map(([country, seenAt]) => [userId, country, seenAt])
    if (rows.length === 0) return
    await affectedBy(
      tx,
      sql`INSERT INTO ${table} (user_id, country, seen_at) VALUES ${tuples(rows)}${newest}`,
    )
  }
  return {
    async known(tx, userId, since) {
      const rows = await rowsOf(
        tx,
        sql`SELECT country FROM ${table} WHERE user_id = ${userId} AND seen_at >= ${since}`,
      )
      return rows.map((row) => String(row['country']))
    },
    async left(tx, userId, country, seenAt) {
      if (isOn) await note(tx, userId, new Map([[country, seenAt]]))
    },
    async ended(tx, userId, devices) {
      if (!isOn) return
      const seen = new Map<string, number>()
      const strange = new Set<string>()
      for (const { record, isTrusted } of devices) {
        const { country, lastSeenAt } = record.device
        if (country === null || (isTrusted && record.isSuspect)) continue
        if (isTrusted) seen.set(country, Math.max(seen.get(country) ?? 0, lastSeenAt.getTime()))
        else strange.add(country)
      }
      for (const country of strange)
        if (!seen.has(country)) await forgetCountry(tx, userId, country)
      await note(tx, userId, seen)
    },
    async forgetThese(tx, userId, countries) {
      for (const country of countries) await forgetCountry(tx, userId, country)
    },
    async forget(tx, before) {
      await affectedBy(tx, sql`DELETE FROM ${table} WHERE seen_at < ${before}`)
    },
    async forgetUser(tx, userId) {
      await affectedBy(tx, sql`DELETE FROM ${table} WHERE user_id = ${userId}`)
    },
  }
}
