import { ConfigurationError, origin, parse, required, type Values } from '@quillgate/server/core'
import { parseRate, type Rate } from '@quillgate/server/http'
import type { User } from '../devices/user.ts'
import { ALERT_OPTIONS, type AlertOptions, isTimeZone } from './alert-options.ts'
import { createLanguages, type FindLanguage } from './mail/alert-languages.ts'
import type { AlertVoice } from './mail/describe-alert.ts'

/** {@link AlertOptions} that were checked, with their defaults. */
export interface AlertPolicy
  extends Pick<
    Values<typeof ALERT_OPTIONS>,
    'appName' | 'to' | 'send' | 'firstDevice' | 'mailsPerHour' | 'reportRevokes'
  > {
  readonly onReported: AlertOptions['onReported'] | undefined
  /** Seconds. */
  readonly sendTimeout: number
  /** Milliseconds. */
  readonly linkLifetime: number
  /** Milliseconds. */
  readonly muteFor: number
  readonly rate: Rate | null
  /**
   * Where the links lead, without a final slash. @throws ConfigurationError when the option gives
   * no origin
   */
  origin(): string
  /** Absolute, or null. */
  devicesUrl(): string | null
  /**
   * Returns language, name and time zone for a user. Unknown visitors get the language of their
   * browser.
   */
  voiceFor(user: User | null, acceptLanguage?: string | null): AlertVoice
}

/**
 * Checks the option `alerts`.
 *
 * @param publicOrigin the option of the instance
 * @throws ConfigurationError that names the option
 */
export function resolveAlertOptions(
  input: AlertOptions,
  publicOrigin: string | undefined,
): AlertPolicy {
  const options = parse(ALERT_OPTIONS, input, 'alerts')
  const given = options.origin ?? publicOrigin
  if (given === undefined) {
    throw new ConfigurationError(
      'alerts.origin',
      'or publicOrigin is required: links in mails never follow what a request says',
    )
  }
  const origin = (): string => toOrigin(typeof given === 'function' ? given() : given)
  const { devicesUrl, rateLimit } = options
  return {
    appName: options.appName.trim(),
    to: (user) => options.to(user),
    send: (mail) => options.send(mail),
    onReported: options.onReported && ((report) => options.onReported?.(report)),
    sendTimeout: options.sendTimeout,
    firstDevice: options.firstDevice,
    mailsPerHour: options.mailsPerHour,
    linkLifetime: options.linkLifetime * 1000,
    muteFor: options.muteFor * 1000,
    reportRevokes: options.reportRevokes,
    rate: parseRate(rateLimit, 'alerts.rateLimit'),
    origin,
    devicesUrl: () => (devicesUrl === undefined ? null : new URL(devicesUrl, origin()).href),
    voiceFor: createVoices(options, createLanguages(options.strings)),
  }
}

function createVoices(
  { appName, locale, timeZone }: Pick<AlertOptions, 'appName' | 'locale' | 'timeZone'>,
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

/** @throws ConfigurationError */
function toOrigin(value: unknown): string {
  return parse({ origin: required(origin) }, { origin: value }, 'alerts').origin
}
