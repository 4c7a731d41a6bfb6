import type { UserData } from '@quillgate/trusted-devices'
import type { AlertStore } from './alert-store.ts'

/** The personal data in alerts: what users were told, and what they answered. */
export function userData(store: AlertStore): UserData {
  return {
    name: 'login_alerts',
    async export(tx, userId) {
      return (await store.ofUser(tx, userId)).map((alert) => ({
        event_id: alert.eventId,
        device_uid: alert.deviceUid,
        kind: alert.kind,
        happened_at: toText(alert.happenedAt),
        name: alert.details.name,
        browser: alert.details.browser,
        os: alert.details.os,
        city: alert.details.city,
        country: alert.details.country,
        previous_countries: alert.details.previousCountries,
        mailed_at: toText(alert.mailedAt),
        answer: alert.answer,
        muted_until: toText(alert.mutedUntil),
      }))
    },
    erase: (tx, userId) => store.forgetUser(tx, userId),
  }
}

function toText(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}
