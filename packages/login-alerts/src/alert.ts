import type { TrustedDevice } from '@quillgate/trusted-devices'

/** The kinds of alerts, most serious first. A mail's most serious alert sets the subject. */
export const ALERT_KINDS = ['compromised', 'new_country', 'new_device'] as const

/** One of {@link ALERT_KINDS}. */
export type AlertKind = (typeof ALERT_KINDS)[number]

/**
 * The data that a mail and its page show. A client can choose some of these texts, so they are not
 * trusted.
 */
export interface AlertDetails extends Pick<TrustedDevice, 'browser' | 'os' | 'city' | 'country'> {
  /** The countries of the user's other devices. Empty, except for `new_country`. */
  readonly previousCountries: readonly string[]
  /** The `reason` of the signal. */
  readonly reason: string
}

/** A sign-in about which the user gets a mail. */
export interface Alert {
  /** The id of the signal's event: a UUID v7. */
  readonly eventId: string
  readonly userId: string
  readonly deviceUid: string
  readonly kind: AlertKind
  readonly details: AlertDetails
  /** Milliseconds since the epoch. */
  readonly happenedAt: number
}

interface AlertSource {
  readonly eventId: string
  readonly at: Date
  readonly device: TrustedDevice
  readonly reason: string
  readonly previousCountries?: ReadonlySet<string>
}

/** Creates the alert of a signal. */
export function toAlert(
  kind: AlertKind,
  { eventId, at, device, reason, previousCountries = new Set() }: AlertSource,
): Alert {
  const { browser, os, city, country } = device
  const countries = [...previousCountries].sort()
  return {
    eventId,
    userId: device.userId,
    deviceUid: device.uid,
    kind,
    details: { browser, os, city, country, previousCountries: countries, reason },
    happenedAt: at.getTime(),
  }
}
