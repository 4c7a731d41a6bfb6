import {
  ConfigurationError,
  checks,
  field,
  type Input,
  parse,
  type Values,
} from '@quillgate/server/core'
import { rate } from '@quillgate/server/http'

const DAY = 86_400

/** The longest timer of Node.js, in seconds. A longer timer fires immediately. */
export const LONGEST_TIMER = 2_147_483

/**
 * Seconds after which `cleanup`, `revokeWhere` and the command line no longer wait for a receiver.
 */
export const RECEIVER_DEADLINE = 60

const wholeSeconds = checks.whole(1, checks.CENTURY, 'seconds')
const secondsOrNull = checks.orNull(checks.positiveSeconds())

/** Every setting of trusted devices. Durations are seconds. */
export const SETTINGS = {
  /**
   * The maximum number of devices of one user. A login over the limit revokes the least recently
   * seen devices. Null: no limit.
   */
  maxDevices: field(checks.orNull(checks.whole(1)), null),
  /**
   * Seconds without use after which a device is stale. The owner's next login or `cleanup` revokes
   * stale devices. At least 120. Null: never.
   */
  staleAfter: field(secondsOrNull, 90 * DAY),
  /** The lifetime of an access token in seconds. */
  accessTokenLifetime: field(wholeSeconds, 300),
  /** The lifetime of an unused refresh token or session cookie in seconds. */
  refreshTokenLifetime: field(wholeSeconds, 30 * DAY),
  /**
   * After the first use of a new refresh token or session cookie, the previous one is accepted for
   * this many seconds.
   */
  refreshGrace: field(checks.seconds(), 30),
  /**
   * The maximum number of seconds that a response waits for receivers. 0: it does not wait for
   * asynchronous receivers.
   */
  receiverTimeout: field(checks.seconds(LONGEST_TIMER), 1),
  /** A device younger than this many seconds cannot revoke other devices. */
  deleteDelay: field(checks.seconds(), 0),
  /**
   * A device younger than this many seconds cannot edit other devices. To change the permissions of
   * other devices, it must also be older than `deleteDelay`.
   */
  editDelay: field(checks.seconds(), 0),
  /** Whether users can revoke other devices over HTTP. Signing out is always possible. */
  allowGlobalDelete: field(checks.boolean, true),
  /** Whether users can edit devices over HTTP. */
  allowGlobalEdit: field(checks.boolean, true),
  /** Whether a new device may revoke the user's other devices. */
  defaultCanDeleteOthers: field(checks.boolean, true),
  /** Whether a new device may edit the user's other devices. */
  defaultCanEditOthers: field(checks.boolean, true),
  /**
   * A device can revoke or edit other devices only if the password was entered on it at most this
   * many seconds ago. Null: no password is needed.
   */
  stepUpAge: field(secondsOrNull, null),
  /**
   * The maximum rate of [login attempts](trusted-devices-guards.md#rate-limits) per address, and of
   * failed attempts per device. Null: no limit.
   */
  loginRateLimit: field(checks.orNull(rate), '5/minute'),
  /**
   * Seconds after which an [address](trusted-devices-privacy.md) is shortened to its network. 0:
   * only the network is stored. Null: the full address is kept until `networkRetention` removes it.
   */
  addressRetention: field(checks.orNull(checks.seconds()), 30 * DAY),
  /**
   * Seconds after which the network and the city are removed. 0: they are never stored. Null: they
   * are never removed.
   */
  networkRetention: field(checks.orNull(checks.seconds()), 180 * DAY),
  /**
   * A session ends this many seconds after the last password entry, even if it is in use. Null: no
   * limit.
   */
  maxSessionAge: field(secondsOrNull, null),
  /**
   * Whether signals are stored in the database [until they are
   * delivered](trusted-devices-outbox.md).
   */
  outbox: field(checks.boolean, false),
}

/** Values that applications cannot change. Only tests use other values. Durations are seconds. */
export const CONSTANTS = {
  /** The minimum time between two updates of `lastSeenAt`. 0 updates it at every request. */
  lastSeenInterval: 60,
  /** The maximum time for looking up the place of a login. */
  locateTimeout: 2,
  /**
   * The maximum rate of token refreshes per device, and of forged tokens per address. The maximum
   * is 20 times as high for verifications per device and refreshes per account. Null: no limit.
   */
  refreshRateLimit: '60/minute' as string | null,
  /** The maximum time for which a second factor is remembered on a device. */
  secondFactorLifetime: 30 * DAY,
  /** The maximum time for which one delivery attempt of the outbox waits for receivers. */
  outboxTimeout: 60,
  /**
   * After this number of failed attempts, an event is `dead`. Together, the attempts take about
   * four hours.
   */
  outboxAttempts: 15,
  /** The time between two searches for events of other processes. Null: no search. */
  outboxInterval: 5 as number | null,
  /** The time for which delivered and dead events are kept. Null: forever. */
  outboxRetention: (30 * DAY) as number | null,
}

/** The type of {@link CONSTANTS}. */
export type Constants = Readonly<typeof CONSTANTS>

/** The values of all settings. */
export type Settings = Values<typeof SETTINGS>

/** Settings and constants. */
export type AllSettings = Settings & Constants

/** Settings as an application passes them. A missing setting has its default. */
export type SettingsInput = Input<typeof SETTINGS>

/** The name of a setting. */
export type SettingName = keyof Settings

/** Checks an application's settings and adds the defaults. */
export function resolveSettings(
  input: SettingsInput | undefined = {},
  { lastSeenInterval }: Constants,
): Settings {
  const settings = parse(SETTINGS, input, 'settings')
  const { addressRetention, networkRetention, staleAfter } = settings
  if (staleAfter !== null) requireStaleAge('settings.staleAfter', staleAfter, lastSeenInterval)
  // A full address contains the network, so the network cannot be removed first.
  const isInOrder = networkRetention === null || networkRetention >= (addressRetention ?? 0)
  if (isInOrder) return settings
  const problem = `must be at least addressRetention (${addressRetention} s)`
  throw new ConfigurationError('settings.networkRetention', problem, networkRetention)
}

/**
 * Checks the age in seconds after which an unused device is revoked. `lastSeenAt` can be older than
 * the last use by `lastSeenInterval`, so a short age could revoke devices in use.
 *
 * @param name the name of the setting or option, for the error message
 */
export function requireStaleAge(name: string, age: number, lastSeenInterval: number): void {
  if (age >= 2 * lastSeenInterval) return
  const problem = `must be at least ${2 * lastSeenInterval} s, because the last use is stored only every ${lastSeenInterval} s`
  throw new ConfigurationError(name, problem, age)
}
