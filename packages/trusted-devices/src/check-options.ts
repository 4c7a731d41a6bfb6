import { ConfigurationError } from '@quillgate/http'
import type { UserIdKind } from './devices/user.ts'
import type { Locator } from './network/location.ts'
import type { TrustedDevicesOptions } from './options.ts'

const KNOWN: { readonly [Key in keyof Required<TrustedDevicesOptions>]: true } = {
  secret: true,
  database: true,
  users: true,
  userId: true,
  locate: true,
  locateTimeout: true,
  receivers: true,
  onReceiverError: true,
  settings: true,
  basePath: true,
  publicOrigin: true,
  trustedProxies: true,
  csrf: true,
  rateLimiter: true,
  migrate: true,
  prefix: true,
  logger: true,
  clock: true,
}

/**
 * Checks the options that no other part checks.
 *
 * @throws ConfigurationError that names the option and the value
 */
export function checkOptions<Kind extends UserIdKind>(options: TrustedDevicesOptions<Kind>): void {
  const { users, userId, locate, locateTimeout, basePath, csrf } = options
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(KNOWN, name)) throw new ConfigurationError(name, 'is not an option', value)
  }
  for (const name of ['receivers', 'onReceiverError', 'clock'] as const) {
    requireThat(options[name] === undefined || isFunction(options[name]), name, 'must be a function', options[name])
  }
  requireThat(isFunction(users?.findById), 'users.findById', 'must be a function that finds a user by id')
  for (const name of ['isActive', 'verifyCredentials', 'usernameOf'] as const) {
    requireThat(
      users[name] === undefined || isFunction(users[name]),
      `users.${name}`,
      'must be a function',
      users[name],
    )
  }
  requireThat(
    userId === undefined || userId === 'string' || userId === 'number',
    'userId',
    'must be "string" or "number"',
    userId,
  )
  requireThat(
    locate === undefined || isFunction(locate) || isFunction((locate as Locator | null)?.locate),
    'locate',
    'must be a function or a locator such as fromHeaders("cf-ipcountry")',
    locate,
  )
  requireThat(
    locateTimeout === undefined || (Number.isFinite(locateTimeout) && locateTimeout > 0),
    'locateTimeout',
    'must be a number of seconds above 0',
    locateTimeout,
  )
  requireThat(
    basePath === undefined || /^(\/[\w.~-]+)+$/.test(basePath),
    'basePath',
    'must be a path such as "/trusted-devices", without a slash at its end',
    basePath,
  )
  requireThat(csrf === undefined || isFunction(csrf?.verify), 'csrf', 'must have a function `verify`', csrf)
}

function requireThat(holds: boolean, name: string, problem: string, value?: unknown): void {
  if (!holds) throw new ConfigurationError(name, problem, value)
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}
