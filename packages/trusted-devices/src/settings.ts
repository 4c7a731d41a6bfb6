import {
  ConfigurationError,
  givenSettings,
  type SettingsInput as SettingsInputOf,
  UnknownSettingError,
} from '@quillgate/server/core'
import {
  ageOrNull,
  DAY,
  flag,
  isSeconds,
  isWholeFrom,
  LONGEST_TIMER,
  oneOf,
  type Rule,
  rate,
  seconds,
  secondsOrNull,
  wholeSeconds,
} from './settings-rules.ts'

export { LONGEST_TIMER } from './settings-rules.ts'

/** Every setting of the component. Durations are seconds. */
export interface Settings {
  /** Most devices of one user; null for no limit. Enforced at login. @default null */
  readonly maxDevices: number | null
  /** What a login over the limit does: revoke the least recently seen devices, or answer 409. @default 'evict' */
  readonly limitPolicy: 'evict' | 'refuse'
  /** A device that was not used for longer than this is revoked by its owner's next login or by `cleanup`; null: never. @default 7776000 (90 days) */
  readonly staleAfter: number | null
  /** Life of an access token. @default 300 */
  readonly accessTokenLifetime: number
  /** Life of an unused refresh token, and of an unused session cookie. @default 2592000 (30 days) */
  readonly refreshTokenLifetime: number
  /** How long the token before the newest one is still taken after the newest one was first used. @default 30 */
  readonly refreshGrace: number
  /** `lastSeenAt` is written at most this often; 0: at every request. @default 60 */
  readonly lastSeenInterval: number
  /** How long `authenticate` may work with a remembered device: another node's revocation is seen after this; 0: at once. @default 5 */
  readonly deviceCacheTtl: number
  /** How long an answer waits for receivers of signals; 0: asynchronous ones are not waited for. @default 1 */
  readonly receiverTimeout: number
  /** A device younger than this cannot revoke other devices. @default 0 */
  readonly deleteDelay: number
  /** A device younger than this cannot edit other devices. @default 0 */
  readonly editDelay: number
  /** False: users cannot revoke other devices over HTTP. Logging out is always possible. @default true */
  readonly allowGlobalDelete: boolean
  /** False: users cannot edit devices over HTTP. @default true */
  readonly allowGlobalEdit: boolean
  /** Whether a new device may revoke the user's other devices. @default true */
  readonly defaultCanDeleteOthers: boolean
  /** Whether a new device may edit the user's other devices. @default true */
  readonly defaultCanEditOthers: boolean
  /** Revoking or editing other devices needs a password entered at most this long ago; null: no such need. @default null */
  readonly stepUpAge: number | null
  /**
   * Tries to sign in, per address; failures, per device of the account, and twenty times as many per account from
   * other devices; failures to reauthenticate, per device. Null for no limit. @default '5/minute'
   */
  readonly loginRateLimit: string | null
  /** Whether a new device from an unknown country is suspicious when the user has devices with known ones. @default 'ignore' */
  readonly unknownCountry: 'ignore' | 'suspicious'
  /**
   * An older address is shortened to its network (/24, or /48 of IPv6); 0: before it is stored; null: together with
   * `networkRetention`. @default 2592000 (30 days)
   */
  readonly addressRetention: number | null
  /**
   * The network and the city of an older login or use are removed, and only the country is left; 0: they are never
   * stored; null: never. @default 15552000 (180 days)
   */
  readonly networkRetention: number | null
  /** The longest time that a second factor is remembered on a device. @default 2592000 (30 days) */
  readonly secondFactorLifetime: number
  /**
   * Refreshes per device, and twenty times as many per account; token verifications per device likewise; tokens that
   * are none of ours, per address. Null for no limit. @default '60/minute'
   */
  readonly refreshRateLimit: string | null
  /** A session ends this long after its user entered a password there, however much it is used; null: never. @default null */
  readonly maxSessionAge: number | null
  /** Keep signals in the database until they are delivered, also when the process is killed. @default false */
  readonly outbox: boolean
  /** How long one attempt to deliver an event may take; longer than `receiverTimeout`. @default 20 */
  readonly outboxTimeout: number
  /** After so many failed attempts an event is given up (`dead`); 15 take about five hours. @default 15 */
  readonly outboxAttempts: number
  /** How often each process looks for events that others left; null: only `outbox.deliver()` does. @default 5 */
  readonly outboxInterval: number | null
  /** How long delivered and dead events are kept; null: for ever. @default 2592000 (30 days) */
  readonly outboxRetention: number | null
}

/** Settings as an application gives them: what is left out has its default. */
export type SettingsInput = SettingsInputOf<Settings>

/** The name of a setting. */
export type SettingName = keyof Settings

const RULES: { readonly [Key in keyof Settings]: Rule<Settings[Key]> } = {
  maxDevices: {
    initial: null,
    expected: 'must be a whole number, 1 or more, or null for no limit',
    accepts: (value) => value === null || isWholeFrom(1, value),
  },
  limitPolicy: oneOf<'evict' | 'refuse'>('evict', 'refuse'),
  staleAfter: secondsOrNull(90 * DAY),
  accessTokenLifetime: wholeSeconds(300),
  refreshTokenLifetime: wholeSeconds(30 * DAY),
  refreshGrace: seconds(30),
  lastSeenInterval: seconds(60),
  deviceCacheTtl: seconds(5),
  receiverTimeout: seconds(1, LONGEST_TIMER),
  deleteDelay: seconds(0),
  editDelay: seconds(0),
  allowGlobalDelete: flag(true),
  allowGlobalEdit: flag(true),
  defaultCanDeleteOthers: flag(true),
  defaultCanEditOthers: flag(true),
  stepUpAge: secondsOrNull(null),
  loginRateLimit: rate('5/minute'),
  unknownCountry: oneOf<'ignore' | 'suspicious'>('ignore', 'suspicious'),
  addressRetention: ageOrNull(30 * DAY),
  networkRetention: ageOrNull(180 * DAY),
  secondFactorLifetime: wholeSeconds(30 * DAY),
  refreshRateLimit: rate('60/minute'),
  maxSessionAge: secondsOrNull(null),
  outbox: flag(false),
  outboxTimeout: {
    initial: 20,
    expected: 'must be a number of seconds above 0, at most 3600',
    accepts: (value) => isSeconds(value, 3600) && Number(value) > 0,
  },
  outboxAttempts: {
    initial: 15,
    expected: 'must be a whole number from 1 to 100',
    accepts: (value) => isWholeFrom(1, value) && Number(value) <= 100,
  },
  outboxInterval: {
    initial: 5,
    expected: 'must be a number of seconds above 0, at most 86400, or null',
    accepts: (value) => value === null || (isSeconds(value, DAY) && Number(value) > 0),
  },
  outboxRetention: secondsOrNull(30 * DAY),
}

const settingNames = Object.keys(RULES) as SettingName[]

/**
 * Fills the defaults in and checks every value.
 *
 * @throws ConfigurationError that names the setting: an unknown name (with those that may have been meant), a wrong value
 */
export function resolveSettings(input: SettingsInput = {}): Settings {
  const given = givenSettings(input, settingNames)
  const settings = settingNames.map((name) => {
    const { initial, accepts, expected } = RULES[name]
    const value = Object.hasOwn(given, name) ? given[name] : initial
    if (!accepts(value)) throw new ConfigurationError(`settings.${name}`, expected, value)
    return [name, value]
  })
  // Every key of RULES is there, and every value was accepted by its rule.
  const resolved = Object.freeze(Object.fromEntries(settings)) as Settings
  if (resolved.staleAfter !== null)
    requireStaleAge('settings.staleAfter', resolved.staleAfter, resolved)
  requireRetention(resolved)
  return resolved
}

/**
 * Checks an age from which devices count as unused: `lastSeenAt` is late by up to `lastSeenInterval`, so a shorter one
 * would revoke devices in use.
 *
 * @param name of the setting or option
 * @throws ConfigurationError
 */
export function requireStaleAge(name: string, age: number, { lastSeenInterval }: Settings): void {
  if (age < 2 * lastSeenInterval) {
    throw new ConfigurationError(
      name,
      `must be at least twice lastSeenInterval (${lastSeenInterval} s)`,
      age,
    )
  }
}

/** A network cannot go before the address that it is made of. */
function requireRetention({ addressRetention, networkRetention }: Settings): void {
  if (
    addressRetention !== null &&
    networkRetention !== null &&
    networkRetention < addressRetention
  ) {
    const problem = `must be at least addressRetention (${addressRetention} s)`
    throw new ConfigurationError('settings.networkRetention', problem, networkRetention)
  }
}

/** Whether this is a length of time above 0 that {@link resolveSettings} would take, in seconds. */
export function isDuration(value: unknown): boolean {
  return isSeconds(value) && Number(value) > 0
}

/**
 * The value of one setting, typed by its name.
 *
 * @throws UnknownSettingError for a name that is no setting
 */
export function getSetting<Key extends SettingName>(settings: Settings, key: Key): Settings[Key] {
  if (!settingNames.includes(key)) throw new UnknownSettingError(String(key), settingNames)
  return settings[key]
}
