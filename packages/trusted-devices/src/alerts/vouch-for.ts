import type { Change } from '../devices/operations/change.ts'
import { clearSuspicion } from '../devices/operations/suspect.ts'
import type { RegistryParts } from '../devices/registry-parts.ts'
import type { AlertLink } from './alert-link.ts'

/**
 * Its owner has said whose the device is: it is suspect no more, and has the permissions that any new device gets, which
 * `suspiciousDevicePermissions: 'none'` kept from it. Of a copied sign-in nobody can say so.
 */
export async function vouchFor(
  registry: RegistryParts,
  change: Change,
  { kind, userId, deviceUid }: Pick<AlertLink, 'kind' | 'userId' | 'deviceUid'>,
): Promise<void> {
  if (kind === 'compromised') return
  const record = await registry.table.find(change.tx, deviceUid)
  const isTheirs = record?.device.userId === userId
  await clearSuspicion(registry, change.tx, userId, deviceUid)
  if (!isTheirs || !record.isSuspect) return // What somebody has decided since then stays.
  const { defaultCanDeleteOthers: canDeleteOthers, defaultCanEditOthers: canEditOthers } =
    registry.settings
  await registry.table.updateMembers(change.tx, deviceUid, { canDeleteOthers, canEditOthers })
  change.changed(deviceUid)
}
