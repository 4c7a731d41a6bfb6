import type { RegistryParts } from './registry-parts.ts'
import type { DeviceRecord } from './tables/device-record.ts'

/** Whether a session is over however much it was used: its user entered no password for longer than `maxSessionAge`. */
export function isTooOld(
  { settings, clock }: Pick<RegistryParts, 'settings' | 'clock'>,
  { provedAt }: DeviceRecord,
): boolean {
  return settings.maxSessionAge !== null && clock() - provedAt > settings.maxSessionAge * 1000
}
