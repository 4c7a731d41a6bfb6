import type { RegistryParts } from '../registry-parts.ts'
import { rowsOf } from './device-database.ts'

/**
 * Whose device this is, or was: text, or null when it is not known. It reads nothing else, so that its time does not
 * tell whether there is one.
 */
export async function findOwner(
  { db: { executor, sql, tables } }: RegistryParts,
  uid: string,
): Promise<string | null> {
  const [row] = await rowsOf(
    executor,
    sql`SELECT user_id FROM ${tables.device} WHERE uid = ${uid} UNION ALL
      SELECT user_id FROM ${tables.revoked} WHERE uid = ${uid}`,
  )
  return row ? String(row['user_id']) : null
}
