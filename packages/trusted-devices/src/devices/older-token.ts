import { noteLate, type TokenPolicy } from '../tokens/token-state.ts'
import { useDevice } from './operations/device-use.ts'
import type { RegistryParts } from './registry-parts.ts'
import { affectedBy } from './tables/device-database.ts'
import type { DeviceRecord } from './tables/device-record.ts'

/**
 * Takes the token before the newest one, which also counts as a use, and notes when it came late.
 *
 * @returns the device as it is now; null when it was revoked meanwhile
 */
export async function useOlderToken(
  parts: RegistryParts,
  record: DeviceRecord,
  address: string | null,
  policy: TokenPolicy,
): Promise<DeviceRecord | null> {
  const token = noteLate(record.token, parts.clock(), policy)
  if (token === record.token) return useDevice(parts, record, () => address, false)
  const { executor, sql, tables } = parts.db
  const { family, counter, late } = token
  // Once for each position, however many requests come at once: a rotation meanwhile leaves nothing to note.
  await affectedBy(
    executor,
    sql`UPDATE ${tables.device} SET token_late_counter = ${counter}, token_late_count = ${late?.count ?? null}
      WHERE uid = ${record.device.uid} AND token_family = ${family} AND token_counter = ${counter}`,
  )
  parts.cache.forget(record.device.uid)
  return useDevice(parts, { ...record, token }, () => address, false)
}
