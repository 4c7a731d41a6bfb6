import type { GateParts } from '@quillgate/server'
import {
  ConfigurationError,
  checks,
  field,
  type Input,
  optional,
  Problem,
  parse,
  required,
} from '@quillgate/server/core'
import type { Users } from './devices/users.ts'
import type { ReadSession } from './http/sessions/session.ts'
import { instanceName } from './instance-names.ts'
import { PlaceHeaders } from './network/from-headers.ts'
import type { LocateFunction } from './network/location.ts'
import { type Constants, resolveSettings, type SettingsInput } from './settings.ts'

const OPTIONAL_USER_METHODS = ['parseId', 'isActive', 'verifyCredentials', 'usernameOf'] as const

/** Returns the schema of all options. `Id` is the type of the application's user ids. */
export const optionsFor = <Id = string>() => ({
  /** [Settings](#settings) that differ from the defaults. */
  settings: optional(checks.anything<SettingsInput>()),
  /**
   * The application's users: `findById(id)`, `isActive?(user)`, `verifyCredentials?(username,
   * password)`, `usernameOf?(user)`, and `parseId: Number` [if `user.id` is a
   * number](trusted-devices-admin.md#ids-of-users).
   */
  users: required(checks.has<Users<Id>>(['findById'], OPTIONAL_USER_METHODS)),
  /** Finds [the place of a login](trusted-devices-location.md): `fromHeaders(…)` or a function. */
  locate: optional(locate),
  /**
   * A function that imports the module with the receivers of signals. `ready()` calls this function
   * before the first signal.
   */
  receivers: optional(checks.functionOf<() => unknown>()),
  /** Path of the endpoints. */
  basePath: field(checks.basePath, '/trusted-devices'),
  /**
   * Returns the content of [the application's own
   * session](trusted-devices-guards.md#sessions-that-you-have-already) for a request, or null if no
   * user is signed in. Not called if the request has a valid session cookie or a bearer token of
   * Quillgate.
   */
  session: optional(checks.functionOf<ReadSession>()),
  /**
   * Distinguishes [two instances](trusted-devices-admin.md#two-instances-on-one-host), for example
   * `staff` and `customers`: 1 to 16 lower case letters, digits and hyphens, a letter first.
   */
  name: optional(instanceName),
})

/** Options of `createTrustedDevices`. */
export type TrustedDevicesOptions<Id = string> = Input<ReturnType<typeof optionsFor<Id>>>

/** The checked options, with defaults filled in. */
export type DevicesConfiguration = ReturnType<typeof resolveOptions>

/** Checks options, settings and their combinations, and adds the defaults. */
export function resolveOptions(
  input: TrustedDevicesOptions<unknown>,
  { hasTrustedProxies }: Pick<GateParts, 'hasTrustedProxies'>,
  constants: Constants,
) {
  const options = parse(optionsFor<unknown>(), input)
  if (options.locate instanceof PlaceHeaders && !hasTrustedProxies) {
    throw new ConfigurationError(
      'trustedProxies',
      'is required if locate is fromHeaders(…), because only headers of trusted proxies are used',
    )
  }
  return { ...options, settings: resolveSettings(options.settings, constants), constants }
}

function locate(value: unknown): LocateFunction | PlaceHeaders | Problem {
  if (typeof value === 'function') return value as LocateFunction
  if (value instanceof PlaceHeaders) return value
  return new Problem('must be a function or fromHeaders("cf-ipcountry")', value)
}
