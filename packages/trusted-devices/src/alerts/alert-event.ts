import { createHash } from 'node:crypto'
import type { TrustedDevice } from '../devices/trusted-device.ts'

/** What an alert is about; of several in one mail the first in this order leads. */
export const ALERT_KINDS = ['compromised', 'new_country', 'new_device'] as const

/** One of {@link ALERT_KINDS}. */
export type AlertKind = (typeof ALERT_KINDS)[number]

/** What a mail and its page say of a device. Nothing of it is trusted to be harmless. */
export interface AlertDetails {
  /** As its owner or the browser calls it. */
  readonly name: string
  readonly browser: string | null
  readonly os: string | null
  readonly city: string | null
  /** As `locate` returned it, best an ISO code. */
  readonly country: string | null
  /** Countries of the user's other devices until now; with `new_country`. */
  readonly previousCountries: readonly string[]
  /** The `reason` of the signal. */
  readonly reason: string
}

/** One thing to tell a user. */
export interface AlertEvent {
  /** Of the signal. */
  readonly eventId: string
  readonly userId: string
  readonly deviceUid: string
  readonly kind: AlertKind
  /** What "this was me" is about: {@link scopeOf}. */
  readonly scope: string
  readonly details: AlertDetails
  /** Milliseconds since the epoch. */
  readonly happenedAt: number
}

/** What {@link toAlertEvent} reads of a signal. */
export interface AlertSource {
  readonly eventId: string
  readonly at: Date
  readonly device: TrustedDevice
  readonly reason: string
  readonly previousCountries?: ReadonlySet<string>
}

/** The alert of a signal. */
export function toAlertEvent(
  kind: AlertKind,
  { eventId, at, device, reason, previousCountries = new Set() }: AlertSource,
): AlertEvent {
  const { name, browser, os, city, country } = device
  return {
    eventId,
    userId: device.userId,
    deviceUid: device.uid,
    kind,
    scope: scopeOf(device),
    details: {
      name,
      browser,
      os,
      city,
      country,
      previousCountries: [...previousCountries].sort(),
      reason,
    },
    happenedAt: at.getTime(),
  }
}

/**
 * A kind of device in a country, as 32 hexadecimal digits. A browser that forgets its cookies is a new device each time;
 * it is still the same browser, on the same system, in the same country. Its version does not count.
 */
export function scopeOf({ browser, os, deviceType, userAgent, country }: TrustedDevice): string {
  const product = browser === null ? userAgent : browser.replace(/ \d+$/, '')
  const parts = JSON.stringify([product, os, deviceType, country])
  return createHash('sha256').update(parts).digest('hex').slice(0, 32)
}
