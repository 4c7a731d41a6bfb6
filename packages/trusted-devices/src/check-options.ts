import {
  ConfigurationError,
  checkedElsewhere,
  checkOptions,
  mustBeBoolean,
  mustBeFunction,
  mustHave,
  nearNames,
  type OptionCheck,
  type OptionChecks,
} from '@quillgate/server/core'
import { checkPrefix } from '@quillgate/server/database'
import type { UserIdKind, Users } from './devices/user.ts'
import { checkInstanceName } from './instance-names.ts'
import type { Locator } from './network/location.ts'
import type { TrustedDevicesOptions } from './options.ts'
import { LONGEST_TIMER } from './settings.ts'

const CHECKS: OptionChecks<TrustedDevicesOptions> = {
  secret: checkedElsewhere,
  database: checkedElsewhere,
  users: checkUsers,
  userId: mustBe(
    (value) => ['string', 'uuid', 'number', 'bigint'].some((kind) => kind === value),
    'must be "string", "uuid", "number" or "bigint"',
  ),
  locate: mustBe(
    (value) =>
      typeof value === 'function' || typeof (value as Locator | null)?.locate === 'function',
    'must be a function or a locator such as fromHeaders("cf-ipcountry")',
  ),
  locateTimeout: mustBe(
    (value) => Number(value) > 0 && Number(value) <= LONGEST_TIMER && typeof value === 'number',
    `must be a number of seconds above 0, at most ${LONGEST_TIMER}`,
  ),
  locateCacheTtl: mustBe(
    (value) => typeof value === 'number' && value >= 0 && value <= LONGEST_TIMER,
    `must be a number of seconds from 0 to ${LONGEST_TIMER}`,
  ),
  receivers: mustBeFunction,
  onReceiverError: mustBeFunction,
  onRefresh: mustBeFunction,
  settings: checkedElsewhere,
  basePath: checkedElsewhere,
  publicOrigin: checkedElsewhere,
  trustedProxies: checkedElsewhere,
  proxyHeader: checkedElsewhere,
  cors: checkedElsewhere,
  openApi: mustBeBoolean,
  alerts: checkedElsewhere,
  csrf: mustHave('verify'),
  rateLimiter: mustHave('consume', 'forgive'),
  revocations: mustHave('open', 'publish', 'close'),
  migrate: mustBeBoolean,
  webhooks: checkedElsewhere,
  session: mustBeFunction,
  name: checkInstanceName,
  prefix: checkPrefix,
  logger: mustHave('warn', 'error'),
  clock: mustBeFunction,
}

/**
 * Checks the shape of the options; what they say is checked by those who use them.
 *
 * @throws ConfigurationError that names the option
 */
export function checkDevicesOptions<Kind extends UserIdKind>(
  options: TrustedDevicesOptions<Kind>,
): void {
  checkOptions(options, CHECKS as OptionChecks<TrustedDevicesOptions<Kind>>, [
    'secret',
    'database',
    'users',
  ])
  const { locate, trustedProxies = [] } = options
  if (typeof locate === 'object' && locate.needsTrustedProxies && trustedProxies.length === 0) {
    throw new ConfigurationError(
      'trustedProxies',
      'is required with fromHeaders: only headers of a proxy that is listed there count',
    )
  }
}

function checkUsers(value: unknown, name: string): void {
  mustHave('findById')(value, name)
  const users = value as Users
  for (const method of ['isActive', 'verifyCredentials', 'usernameOf'] as const) {
    if (users[method] !== undefined) mustBeFunction(users[method], `${name}.${method}`)
  }
  // It may have other methods, but none that looks like one that is missing.
  const missing = USER_METHODS.filter((method) => users[method] === undefined)
  for (const other of methodNames(value)) {
    const [meant] = USER_METHODS.some((method) => method === other) ? [] : nearNames(other, missing)
    if (meant !== undefined) {
      throw new ConfigurationError(
        `${name}.${other}`,
        `is not a method of users. Perhaps ${meant} is meant`,
      )
    }
  }
}

const USER_METHODS = ['findById', 'isActive', 'verifyCredentials', 'usernameOf'] as const

/** Of an object and its classes. */
function methodNames(value: unknown): string[] {
  const names: string[] = []
  for (let at: unknown = value; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    const members = Object.entries(Object.getOwnPropertyDescriptors(at))
    names.push(
      ...members.filter(([, member]) => typeof member.value === 'function').map(([name]) => name),
    )
  }
  return names
}

function mustBe(accepts: (value: unknown) => boolean, problem: string): OptionCheck {
  return (value, name) => {
    if (!accepts(value)) throw new ConfigurationError(name, problem, value)
  }
}
