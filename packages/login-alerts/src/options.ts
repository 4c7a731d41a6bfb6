import {
  ConfigurationError,
  checks,
  type Input,
  optional,
  Problem,
  parse,
  required,
} from '@quillgate/server/core'
import type { User } from '@quillgate/trusted-devices'
import type { AlertKind } from './alert.ts'
import { createLanguages } from './mail/alert-languages.ts'
import type { AlertContext } from './mail/describe-alert.ts'
import type { AlertStrings } from './mail/strings/en.ts'

const DAY = 86_400_000

/** Values that applications cannot change. Only tests use other values. */
export const CONSTANTS = {
  /** The maximum time in seconds for one mail. Includes the calls of `to` and `send`. */
  sendTimeout: 60,
  mailsPerHour: 5,
  /** The time in milliseconds for which a link is valid. */
  linkLifetime: 7 * DAY,
  /** The maximum rate of requests per IP address. Null means no limit. */
  pageRate: '30/minute' as string | null,
}

/** The type of {@link CONSTANTS}. */
export type Constants = Readonly<typeof CONSTANTS>

/** A mail that is ready to be sent. `nodemailer` and most services accept it unchanged. */
export interface AlertMail {
  /** The email address that the option `to` returned. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Headers that mark the mail as automatic (RFC 3834). It then gets no out-of-office reply. */
  readonly headers: Readonly<Record<string, string>>
  /** The kind of the most serious event that the mail reports. */
  readonly kind: AlertKind
  /**
   * The id of the most serious event that the mail reports. A retried mail has the same id, so that
   * services can detect duplicates. If the retry reports further events, the id can differ.
   */
  readonly eventId: string
  readonly userId: string
}

/** A user's report of a login ("This wasn't me"). */
export interface AlertReport {
  readonly user: User
  readonly deviceUid: string
  readonly eventId: string
  /** The number of devices that were revoked. */
  readonly revoked: number
}

type Recipient = string | null | undefined

/** The options of {@link createLoginAlerts}. */
export const OPTIONS = {
  /** The name of the application, for example `Harbour`. */
  appName: required(appName),
  /** Returns the bare email address of a user (`ada@example.com`), or null to send no mail. */
  to: required(checks.functionOf<(user: User) => Recipient | Promise<Recipient>>()),
  /**
   * Sends a mail. The attempt fails if `to` or `send` rejects, if `to` returns an invalid address,
   * or if `to` and `send` together take longer than 60 s. Then both are called again for up to a day.
   */
  send: required(checks.functionOf<(mail: AlertMail) => unknown>()),
  /**
   * The origin of the links, never taken from a request. The default is `publicOrigin` of
   * `createQuillgate`. One of them is required.
   */
  origin: optional(origin),
  /** Returns the language of a user: en, de, fr, or one of `strings`; by default `en`. */
  locale: optional(checks.functionOf<(user: User) => string>()),
  /** Returns the time zone of a user as an IANA name; by default `UTC`. */
  timeZone: optional(checks.functionOf<(user: User) => string>()),
  /** Your own texts, by locale. For texts that you omit, the built-in texts are used. */
  strings: optional(checks.anything<Readonly<Record<string, Partial<AlertStrings>>>>()),
  /** The path or URL of the page where users see their devices. Mails link to the page. */
  devicesUrl: optional(link),
  /**
   * Called after a user has reported a login ("This wasn't me") and all devices of the user were
   * revoked. The function can, for example, require a new password.
   */
  onReported: optional(checks.functionOf<(report: AlertReport) => unknown>()),
}

/** Options of `createLoginAlerts`. */
export type LoginAlertsOptions = Input<typeof OPTIONS>

/** Checked options with their defaults. */
export type Configuration = ReturnType<typeof resolveOptions>

/** Checks options, and adds defaults. @param name the option `name` of trusted devices */
export function resolveOptions(
  input: LoginAlertsOptions,
  publicOrigin: string | undefined,
  name: string | undefined,
) {
  const options = parse(OPTIONS, input)
  const { origin: given = publicOrigin, devicesUrl, locale, timeZone, appName } = options
  if (given === undefined) {
    const problem =
      'or publicOrigin is required, because the links in mails need an origin that no request can change'
    throw new ConfigurationError('origin', problem)
  }
  const findOrigin = (): string => (typeof given === 'function' ? toOrigin(given()) : given)
  const findLanguage = createLanguages(options.strings)
  return {
    ...options,
    basePath: name === undefined ? '/login-alerts' : `/login-alerts-${name}`,
    origin: findOrigin,
    devicesUrl: () => (devicesUrl === undefined ? null : new URL(devicesUrl, findOrigin()).href),
    /**
     * Returns the language and time zone of a user. If the user is null, uses the browser's
     * language and UTC.
     */
    alertContextFor(user: User | null, acceptLanguage: string | null = null): AlertContext {
      const zone = user && timeZone?.(user)
      return {
        language: findLanguage((user ? locale?.(user) : firstLanguage(acceptLanguage)) ?? 'en'),
        appName,
        // An invalid time zone must not prevent the mail.
        timeZone: isTimeZone(zone) ? zone : 'UTC',
      }
    },
  }
}

// Returns the first language of an `Accept-Language` header, which is usually the preferred one.
function firstLanguage(acceptLanguage: string | null): string {
  const FIRST = /^\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)/
  return FIRST.exec(acceptLanguage?.slice(0, 100) ?? '')?.[1] ?? 'en'
}

function toOrigin(value: unknown): string {
  return parse({ origin: required(checks.origin) }, { origin: value }).origin
}

function appName(value: unknown): string | Problem {
  const isName = typeof value === 'string' && value.trim() !== '' && value.length <= 100
  return isName && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)
    ? value.trim()
    : new Problem('must be one line of 1 to 100 characters', value)
}

function isTimeZone(value: unknown): value is string {
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

function origin(value: unknown): string | (() => string) | Problem {
  return typeof value === 'function' ? (value as () => string) : checks.origin(value)
}
