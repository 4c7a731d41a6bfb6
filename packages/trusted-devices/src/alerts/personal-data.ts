import type { AddressPolicy } from '../privacy/address-policy.ts'
import type { PersonalData } from '../privacy/personal-data.ts'
import { type AlertTable, toStoredAlert } from './alert-table.ts'

/**
 * What is kept of a user's alerts: what they were told, and what they answered. They hold no address, but a city, which
 * goes when the network of a device does.
 */
export function alertPersonalData(
  table: AlertTable,
  { steps }: Pick<AddressPolicy, 'steps'>,
): PersonalData {
  const citiesBefore = (now: number): number =>
    Math.max(-1, ...steps(now).flatMap(({ keepsCity, before }) => (keepsCity ? [] : [before])))
  return {
    name: 'alerts',
    async export(tx, userId) {
      const rows = await table.ofUser(tx, userId)
      return rows.map((row) => {
        const { eventId, deviceUid, kind, details, happenedAt, answer, mutedUntil } =
          toStoredAlert(row)
        return {
          event_id: eventId,
          device_uid: deviceUid,
          kind,
          happened_at: new Date(happenedAt).toISOString(),
          name: details.name,
          browser: details.browser,
          os: details.os,
          city: details.city,
          country: details.country,
          previous_countries: details.previousCountries,
          state: String(row['state']),
          answer,
          muted_until: mutedUntil === null ? null : new Date(mutedUntil).toISOString(),
        }
      })
    },
    erase: (tx, userId) => table.forgetUser(tx, userId),
    reduceAddresses: (executor, now) => table.forgetCities(executor, citiesBefore(now)),
    countAddresses: (executor, now) => table.countCities(executor, citiesBefore(now)),
  }
}
