import { batchesOf } from '@quillgate/server/database'
import type { AllSettings } from '../../settings.ts'
import type { Change } from '../changes.ts'
import type { DeviceRecord } from '../tables/device-record.ts'

/**
 * Revokes stale devices of the user, then evicts the least recently seen ones over `maxDevices`.
 *
 * @param others the number of other devices of the user, including stale ones
 */
export async function evictDevices(
  { devices, now, ended }: Change,
  { maxDevices, staleAfter }: AllSettings,
  others: number,
  { device: { uid, userId } }: DeviceRecord,
): Promise<void> {
  const seenBefore = staleAfter === null ? null : Math.floor(now - staleAfter * 1000)
  const stale =
    seenBefore === null
      ? []
      : await devices.remove(userId, (eb) =>
          eb.and([eb('uid', '<>', uid), eb('lastSeenAt', '<', seenBefore)]),
        )
  await ended(stale, 'stale', null)
  const surplus = maxDevices === null ? 0 : others - stale.length + 1 - maxDevices
  if (surplus <= 0) return
  const idle = await devices.findIdle(userId, uid, surplus)
  for (const batch of batchesOf(idle))
    await ended(await devices.remove(userId, (eb) => eb('uid', 'in', batch)), 'limit', uid)
}
