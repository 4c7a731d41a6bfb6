import {
  anything,
  boolean,
  type Check,
  field,
  functionOf,
  type Input,
  oneOf,
  optional,
  origin,
  orNull,
  Problem,
  required,
  whole,
} from '@quillgate/server/core'
import { rate } from '@quillgate/server/http'
import type { DeletedUser, User } from '../devices/user.ts'
import type { AlertKind } from './alert-event.ts'
import { canonical } from './mail/alert-languages.ts'
import type { AlertStrings } from './mail/alert-strings.ts'

/** A mail that is ready to be sent. `nodemailer` and most services take it as it is. */
export interface AlertMail {
  /** One bare address, as the option `to` gave it. */
  readonly to: string
  /** One line. */
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Marks the mail as automatic (RFC 3834), so that no out-of-office reply comes back. */
  readonly headers: Readonly<Record<string, string>>
  /** What it is about. */
  readonly kind: AlertKind
  /**
   * The event that leads the mail. It is the same at each attempt, so that services can detect
   * duplicates.
   */
  readonly eventId: string
  readonly userId: string
}

/** A user's "this wasn't me". */
export interface AlertReport {
  /** Only `{ id }` when `users.findById` no longer knows them. */
  readonly user: User | DeletedUser
  /** The device that the mail was about. */
  readonly deviceUid: string
  /** The event that the mail was about. */
  readonly eventId: string
  /** How many devices were revoked. */
  readonly revoked: number
}

const DAY = 86_400
const YEAR = 366 * DAY

/** The options of mails to users. */
export const ALERT_OPTIONS = {
  /** The name of the application, for example `Harbour`. */
  appName: required(appName),
  /** Returns the address of a user, or null for no mail. A bare address: `ada@example.com`. */
  to: required(
    functionOf<(user: User) => string | null | undefined | Promise<string | null | undefined>>(),
  ),
  /**
   * Sends a mail. If it rejects, or takes longer than `sendTimeout`, it is called again later, up
   * to a day.
   */
  send: required(functionOf<(mail: AlertMail) => unknown>()),
  /**
   * Seconds that writing and sending one mail may take; less than the lease of a mail, or two
   * processes send it.
   */
  sendTimeout: field(whole(1, 300, 'seconds'), 60),
  /** Where the links lead; by default the option `publicOrigin`. Never taken from a request. */
  origin: optional(orFunction<string, () => string>(origin)),
  /** The language: en, de, fr, or one of `strings`; by default `en`. */
  locale: optional(orFunction<string, (user: User) => string>(locale)),
  /** IANA name of the time zone of mails; by default `UTC`. */
  timeZone: optional(orFunction<string, (user: User) => string>(timeZone)),
  /** Texts of your own, by locale; those that are left out are the built-in ones. */
  strings: optional(anything<Readonly<Record<string, Partial<AlertStrings>>>>()),
  /** The page where users see their devices: a path or a URL, for a further link. */
  devicesUrl: optional(link),
  /** True: a mail also about the very first device of an account. */
  firstDevice: field(boolean, false),
  /** Most mails to one user within an hour; further alerts are summed up in one mail. */
  mailsPerHour: field(whole(1, 1000), 5),
  /** Seconds for which the links work. */
  linkLifetime: field(whole(300, YEAR, 'seconds'), 7 * DAY),
  /** Seconds for which "this was me" is remembered. */
  muteFor: field(whole(1, 10 * YEAR, 'seconds'), 90 * DAY),
  /**
   * "This wasn't me" revokes all devices of the user, or only the one. If the mail is about several
   * sign-ins, or about a copied one, it always revokes all.
   */
  reportRevokes: field(oneOf(['all', 'device']), 'all'),
  /**
   * Called for each "this wasn't me", after the devices were revoked: the place to require a new
   * password. If it rejects, the user is asked to press again.
   */
  onReported: optional(functionOf<(report: AlertReport) => unknown>()),
  /** How often one address may open and answer links; null: no limit. */
  rateLimit: field(orNull(rate), '30/minute'),
}

/**
 * Mails to users about new devices, new countries and copied sign-ins. `appName`, `to` and `send`
 * are needed; the links need `publicOrigin`, or `origin`.
 */
export type AlertOptions = Input<typeof ALERT_OPTIONS>

function appName(value: unknown): string | Problem {
  const isName = typeof value === 'string' && value.trim() !== '' && value.length <= 100
  return isName && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)
    ? value
    : new Problem('must be one line of 1 to 100 characters', value)
}

function locale(value: unknown): string | Problem {
  return typeof value === 'string' && canonical(value) !== null
    ? value
    : new Problem('must be a locale such as "de" or a function', value)
}

function timeZone(value: unknown): string | Problem {
  return isTimeZone(value)
    ? value
    : new Problem('must be a time zone such as "Europe/Berlin" or a function', value)
}

/** Returns true for the IANA name of a time zone. */
export function isTimeZone(value: unknown): value is string {
  try {
    return typeof value === 'string' && new Intl.DateTimeFormat('en', { timeZone: value }) !== null
  } catch {
    return false
  }
}

function link(value: unknown): string | Problem {
  const url = typeof value === 'string' ? URL.parse(value, 'https://localhost') : null
  return typeof value === 'string' && url !== null && /^https?:$/.test(url.protocol)
    ? value
    : new Problem('must be a path or an address such as "/account/devices"', value)
}

function orFunction<T, F>(check: Check<T>): Check<T | F> {
  return (value) => (typeof value === 'function' ? (value as F) : check(value))
}
