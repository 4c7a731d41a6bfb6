import {
  type CallChecks,
  ConfigurationError,
  checkedElsewhere,
  checkOptions,
  mustBeBoolean,
  mustBeOneOf,
  type OptionCheck,
  type OptionChecks,
  optionalOptions as options,
} from '@quillgate/server/core'
import { requireContext } from '@quillgate/server/http'
import type { ListAllOptions, ListOptions } from './devices/operations/list.ts'
import type { DeviceRegistry } from './devices/registry.ts'
import type { SecondFactor } from './guard-options.ts'
import type { AdoptOptions, LoginOptions, TrustedDevices } from './options.ts'
import { isSeconds, LONGEST_TIMER } from './settings-rules.ts'

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const context: OptionCheck = requireContext

const user: OptionCheck = (value, call) => {
  if (isObject(value) && 'id' in value) return
  throw new ConfigurationError(
    call,
    'needs a user, with the member id: find out first whether there is one',
    value,
  )
}

const device: OptionCheck = (value, call) => {
  if (isObject(value) && 'uid' in value && 'userId' in value) return
  throw new ConfigurationError(
    call,
    'needs a device: that of login, or session.device of authenticate',
    value,
  )
}

const text: OptionCheck = (value, name) => {
  if (typeof value !== 'string' || value === '')
    throw new ConfigurationError(name, 'must be text, not empty', value)
}

const seconds: OptionCheck = (value, name) => {
  if (isSeconds(value, LONGEST_TIMER)) return
  throw new ConfigurationError(
    name,
    `must be a number of seconds from 0 to ${LONGEST_TIMER}`,
    value,
  )
}

const verify: OptionCheck = (value, call) => {
  if (typeof value !== 'function')
    throw new ConfigurationError(call, 'needs a function that checks the password', value)
}

/** Of `revokeAll`. A device that is missing where one was to be kept would end it too. */
const keepOptions: OptionCheck = (value, call) => {
  options({ keep: text, reason: text })(value, call)
  if (isObject(value) && 'keep' in value && value.keep === undefined) {
    throw new ConfigurationError(
      `${call}.keep`,
      'must be the uid of a device; leave it out to keep none',
      undefined,
    )
  }
}

/** A request, or what a bearer client sent. */
const source: OptionCheck = (value, call) => {
  if (!isObject(value) || !('deviceCredential' in value)) return context(value, call)
  checkOptions<{ deviceCredential: unknown }>(
    value,
    { deviceCredential: checkedElsewhere },
    [],
    call,
  )
}

const page: OptionChecks<ListOptions> = { limit: checkedElsewhere, cursor: checkedElsewhere }

const loginOptions = (hasOwnSessions: boolean): OptionCheck => {
  const check = options<LoginOptions>({
    transport: mustBeOneOf('cookie', 'bearer', 'session'),
    deviceCredential: checkedElsewhere, // Of a client: whatever is none is nobody's.
    sessionId: checkedElsewhere,
  })
  return (value, call) => {
    check(value, call)
    const { transport } = (value ?? {}) as Partial<LoginOptions>
    if (transport === undefined) {
      throw new ConfigurationError(
        call,
        'needs the option transport: { transport: "cookie" }, "bearer" or "session"',
      )
    }
    if (transport === 'session' && !hasOwnSessions) {
      throw new ConfigurationError(
        `${call}.transport`,
        '"session" needs the option session of createTrustedDevices, which says whose session a request has',
      )
    }
  }
}

const adoptOptions = (hasOwnSessions: boolean): OptionCheck => {
  const check = options<AdoptOptions>({ sessionId: checkedElsewhere })
  return (value, call) => {
    check(value, call)
    if ((value as Partial<AdoptOptions> | undefined)?.sessionId === undefined) {
      throw new ConfigurationError(call, 'needs the option sessionId: { sessionId: req.sessionID }')
    }
    if (!hasOwnSessions) {
      throw new ConfigurationError(
        call,
        'needs the option session of createTrustedDevices, which says whose session a request has',
      )
    }
  }
}

/** The checks of an instance, by its groups of methods. */
export interface DeviceCallChecks {
  readonly devices: CallChecks<TrustedDevices>
  readonly registry: CallChecks<DeviceRegistry>
  readonly secondFactor: CallChecks<SecondFactor>
}

/** Returns the checks of an instance. @param hasOwnSessions whether it has the option `session` */
export function deviceCallChecks(hasOwnSessions: boolean): DeviceCallChecks {
  return {
    devices: {
      settle: [options({ timeout: seconds })],
      login: [user, context, loginOptions(hasOwnSessions)],
      adopt: [user, context, adoptOptions(hasOwnSessions)],
      guardLogin: [context, null, verify, options({ deviceCredential: checkedElsewhere })],
      authenticate: [context],
      logout: [context],
      requireTrusted: [context],
      updateSession: [device],
    },
    registry: {
      list: [null, options<ListOptions>(page)],
      listAll: [options<ListAllOptions>({ ...page, filter: checkedElsewhere })],
      revokeWhere: [null, options({ reason: text, dryRun: mustBeBoolean })],
      revoke: [null, null, options({ reason: text })],
      revokeAll: [null, keepOptions],
      revokeAs: [device],
      revokeAllAs: [device, options({ keepCurrent: mustBeBoolean })],
      editAs: [device],
      cleanup: [options({ olderThan: checkedElsewhere, dryRun: mustBeBoolean })],
    },
    secondFactor: {
      remember: [device, options({ for: checkedElsewhere })],
      isRemembered: [user, source],
      forgetAs: [device],
    },
  }
}
