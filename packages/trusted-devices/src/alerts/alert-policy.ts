import {
  ConfigurationError,
  checkedElsewhere,
  checkOptions,
  mustBeBoolean,
  mustBeFunction,
  mustBeOneOf,
  mustBeWhole,
  type OptionCheck,
} from '@quillgate/server/core'
import { parseRate, type Rate } from '@quillgate/server/http'
import type { User } from '../devices/user.ts'
import type { AlertOptions } from './alert-options.ts'
import { canonical, createLanguages, type FindLanguage } from './mail/alert-languages.ts'
import type { AlertVoice } from './mail/describe-alert.ts'

/** {@link AlertOptions} that were checked, with their defaults. */
export interface AlertPolicy
  extends Required<
    Pick<AlertOptions, 'appName' | 'to' | 'send' | 'firstDevice' | 'mailsPerHour' | 'reportRevokes'>
  > {
  readonly onReported: AlertOptions['onReported'] | undefined
  /** Seconds. */
  readonly sendTimeout: number
  /** Milliseconds. */
  readonly linkLifetime: number
  /** Milliseconds. */
  readonly muteFor: number
  readonly rate: Rate | null
  /** Where the links lead, without a final slash. @throws ConfigurationError when the option gives no origin */
  origin(): string
  /** Absolute, or null. */
  devicesUrl(): string | null
  /** How to speak to a user; to somebody unknown in the language that their browser asks for. */
  voiceFor(user: User | null, acceptLanguage?: string | null): AlertVoice
}

const DAY = 86_400
const YEAR = 366 * DAY

/**
 * Checks the option `alerts`.
 *
 * @param publicOrigin the option of the instance
 * @throws ConfigurationError that names the option
 */
export function resolveAlertOptions(
  options: AlertOptions,
  publicOrigin: string | undefined,
): AlertPolicy {
  const checks = {
    appName: mustBeName,
    to: mustBeFunction,
    send: mustBeFunction,
    sendTimeout: mustBeWhole(1, 300, 'seconds'), // Below the lease of a mail, or two processes send it.
    origin: functionOr((value, name) => void toOrigin(value, name)),
    locale: functionOr(mustBeLocale),
    timeZone: functionOr(mustBeTimeZone),
    strings: checkedElsewhere,
    devicesUrl: mustBeLink,
    firstDevice: mustBeBoolean,
    mailsPerHour: mustBeWhole(1, 1000),
    linkLifetime: mustBeWhole(300, YEAR, 'seconds'),
    muteFor: mustBeWhole(1, 10 * YEAR, 'seconds'),
    reportRevokes: mustBeOneOf('all', 'device'),
    onReported: mustBeFunction,
    rateLimit: checkedElsewhere,
  }
  checkOptions<AlertOptions>(options, checks, ['appName', 'to', 'send'], 'alerts')
  const given = options.origin ?? publicOrigin
  if (given === undefined) {
    throw new ConfigurationError(
      'alerts.origin',
      'or publicOrigin is required: links in mails never follow what a request says',
    )
  }
  const origin = (): string =>
    toOrigin(typeof given === 'function' ? given() : given, 'alerts.origin')
  const { rateLimit = '30/minute', devicesUrl } = options
  return {
    appName: options.appName.trim(),
    to: (user) => options.to(user),
    send: (mail) => options.send(mail),
    onReported: options.onReported && ((report) => options.onReported?.(report)),
    sendTimeout: options.sendTimeout ?? 60,
    firstDevice: options.firstDevice ?? false,
    mailsPerHour: options.mailsPerHour ?? 5,
    linkLifetime: (options.linkLifetime ?? 7 * DAY) * 1000,
    muteFor: (options.muteFor ?? 90 * DAY) * 1000,
    reportRevokes: options.reportRevokes ?? 'all',
    rate: parseRate(rateLimit, 'alerts.rateLimit'),
    origin,
    devicesUrl: () => (devicesUrl === undefined ? null : new URL(devicesUrl, origin()).href),
    voiceFor: createVoices(options, createLanguages(options.strings)),
  }
}

function createVoices(
  { appName, locale, timeZone }: AlertOptions,
  find: FindLanguage,
): AlertPolicy['voiceFor'] {
  return (user, acceptLanguage = null) => {
    const wanted =
      typeof locale === 'function' ? (user ? locale(user) : firstLanguage(acceptLanguage)) : locale
    const zone = typeof timeZone === 'function' ? (user ? timeZone(user) : 'UTC') : timeZone
    return {
      language: find(wanted ?? 'en'),
      appName: appName.trim(),
      timeZone: isTimeZone(zone) ? zone : 'UTC', // A user's wrong setting must not cost them their mail.
    }
  }
}

/** Good enough for people whom we cannot ask: what a browser wants most stands first. */
function firstLanguage(acceptLanguage: string | null): string {
  return (
    /^\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)/.exec(acceptLanguage?.slice(0, 100) ?? '')?.[1] ??
    'en'
  )
}

function toOrigin(value: unknown, name: string): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null
  if (url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href) return url.origin
  throw new ConfigurationError(
    name,
    'must be an origin such as "https://example.com", without a path',
    value,
  )
}

function functionOr(check: OptionCheck): OptionCheck {
  return (value, name) => {
    if (typeof value !== 'function') check(value, name)
  }
}

function mustBeName(value: unknown, name: string): void {
  const isName = typeof value === 'string' && value.trim() !== '' && value.length <= 100
  if (!isName || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) {
    throw new ConfigurationError(name, 'must be one line of 1 to 100 characters', value)
  }
}

function mustBeLocale(value: unknown, name: string): void {
  if (canonical(value) === null)
    throw new ConfigurationError(name, 'must be a locale such as "de" or a function', value)
}

function mustBeTimeZone(value: unknown, name: string): void {
  if (!isTimeZone(value)) {
    throw new ConfigurationError(
      name,
      'must be a time zone such as "Europe/Berlin" or a function',
      value,
    )
  }
}

function isTimeZone(value: unknown): value is string {
  try {
    return typeof value === 'string' && new Intl.DateTimeFormat('en', { timeZone: value }) !== null
  } catch {
    return false
  }
}

function mustBeLink(value: unknown, name: string): void {
  const url = typeof value === 'string' && URL.canParse(value, 'https://localhost')
  if (!url || !/^https?:$/.test(new URL(String(value), 'https://localhost').protocol)) {
    throw new ConfigurationError(
      name,
      'must be a path or an address such as "/account/devices"',
      value,
    )
  }
}
