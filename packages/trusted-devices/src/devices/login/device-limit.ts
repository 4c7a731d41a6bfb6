import type { Change } from '../changes.ts'
import type { Parts } from '../registry-parts.ts'
import type { DeviceRecord } from '../tables/device-record.ts'

/**
 * Revokes stale devices of the user, then evicts the least recently seen ones over `maxDevices`.
 *
 * @param others how many other devices the user has
 * @returns false if `limitPolicy` is `refuse` and the login is over the limit
 */
export async function applyDeviceLimit(
  { removal, table, settings }: Parts<'removal' | 'settings' | 'table'>,
  change: Change,
  others: number,
  { device: { uid, userId } }: DeviceRecord,
  isKnown: boolean,
): Promise<boolean> {
  const { maxDevices, limitPolicy, staleAfter } = settings
  const { tx, now } = change
  const seenBefore = staleAfter === null ? null : Math.floor(now - staleAfter * 1000)
  const stale = seenBefore === null ? [] : await removal.stale(tx, userId, seenBefore, uid)
  await change.revoked(stale, 'stale', null)

  const surplus = maxDevices === null ? 0 : others - stale.length + 1 - maxDevices
  if (surplus <= 0) return true
  if (limitPolicy === 'refuse') return isKnown
  const idle = await table.findIdle(tx, userId, uid, surplus)
  await change.revoked(await removal.these(tx, userId, idle), 'limit', uid)
  return true
}
