import type { Parts } from './registry-parts.ts'
import type { DeviceRecord } from './tables/device-record.ts'

/**
 * Whether a session is over however much it was used: its user entered no password for longer than
 * `maxSessionAge`. An adopted session without a password counts from its adoption.
 */
export function isTooOld(
  { settings, clock }: Parts<'clock' | 'settings'>,
  { provedAt, device }: DeviceRecord,
): boolean {
  const since = provedAt ?? device.createdAt.getTime()
  return settings.maxSessionAge !== null && clock() - since > settings.maxSessionAge * 1000
}
