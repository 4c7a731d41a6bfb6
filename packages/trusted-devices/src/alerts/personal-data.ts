import type { DeviceDatabase } from '../devices/tables/device-database.ts'
import type { AddressPolicy } from '../privacy/address-policy.ts'
import type { PersonalData } from '../privacy/personal-data.ts'
import type { AlertTable } from './alert-table.ts'

/**
 * The personal data in alerts: mails to a user and the answers. There is no address. The city is
 * removed together with the network of a device.
 */
export function alertPersonalData(
  { mails }: Pick<DeviceDatabase, 'mails'>,
  table: AlertTable,
  { steps }: Pick<AddressPolicy, 'steps'>,
): PersonalData {
  const citiesBefore = (now: number): number =>
    Math.max(-1, ...steps(now).flatMap(({ keepsCity, before }) => (keepsCity ? [] : [before])))
  return {
    name: 'alerts',
    async export(tx, userId) {
      const alerts = await table.ofUser(tx, userId)
      return alerts.map((alert) => {
        const { eventId, deviceUid, kind, details, happenedAt, state, answer, mutedUntil } = alert
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
          state,
          answer,
          muted_until: mutedUntil === null ? null : new Date(mutedUntil).toISOString(),
        }
      })
    },
    async erase(tx, userId) {
      await mails.on(tx).deleteFrom('job').where('jobKey', '=', userId).execute()
      await table.forgetUser(tx, userId)
    },
    reduceAddresses: (executor, now) => table.forgetCities(executor, citiesBefore(now)),
    countAddresses: (executor, now) => table.countCities(executor, citiesBefore(now)),
  }
}
