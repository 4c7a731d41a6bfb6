import { ConfigurationError, checks, field, optional, parse } from '@quillgate/server/core'
import { LONGEST_TIMER } from '../settings.ts'

// The arguments of an instance's own methods. Without these checks, a misspelt option would have no
// effect: `revokeWhere(filter, { dryrun: true })` would revoke devices.

const TRANSPORTS = ['cookie', 'bearer', 'session'] as const
const NO_SESSION =
  'needs the option session of createTrustedDevices, which says whose session a request has'

const LOGIN = {
  transport: optional(checks.oneOf(TRANSPORTS)),
  // A wrong credential of a client matches no device.
  deviceCredential: optional(checks.anything<string>()),
  sessionId: optional(checks.anything<string>()),
}

/** Checks the argument of a call that is a user. @throws ConfigurationError */
export function checkUser(call: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && 'id' in value) return
  const problem = 'needs a user, with the member id: find out first whether there is one'
  throw new ConfigurationError(call, problem, value)
}

/** Checks the options of `login`. @throws ConfigurationError */
export function loginOptions(options: unknown, hasOwnSessions: boolean) {
  const { transport, ...others } = parse(LOGIN, options ?? {}, 'login')
  if (transport === 'session' && !hasOwnSessions)
    throw new ConfigurationError('login.transport', `"session" ${NO_SESSION}`)
  return { transport: transport ?? (hasOwnSessions ? 'session' : 'cookie'), ...others }
}

/** Checks the options of `adopt`. @throws ConfigurationError */
export function adoptOptions(options: unknown, hasOwnSessions: boolean): { sessionId: string } {
  const { sessionId } = parse(
    { sessionId: optional(checks.anything<string>()) },
    options ?? {},
    'adopt',
  )
  if (sessionId === undefined)
    throw new ConfigurationError(
      'adopt',
      'needs the option sessionId: { sessionId: req.sessionID }',
    )
  if (!hasOwnSessions) throw new ConfigurationError('adopt', NO_SESSION)
  return { sessionId }
}

/** Checks the function and the options of `guardLogin`. @throws ConfigurationError */
export function guardLoginOptions(
  verify: unknown,
  options: unknown = {},
): { readonly deviceCredential: string | undefined } {
  if (typeof verify !== 'function') {
    const problem = 'needs a function that checks the password'
    throw new ConfigurationError('guardLogin', problem, verify)
  }
  return parse({ deviceCredential: optional(checks.anything<string>()) }, options, 'guardLogin')
}

/** Checks the options of `settle`. @param timeout the default @throws ConfigurationError */
export function settleOptions(timeout: number, options: unknown = {}) {
  return parse({ timeout: field(checks.seconds(LONGEST_TIMER), timeout) }, options, 'settle')
}

/**
 * Reads the source of `isRemembered`, if it is what a bearer client sent.
 *
 * @returns null for a request
 * @throws ConfigurationError
 */
export function credentialSource(
  call: string,
  value: unknown,
): { readonly deviceCredential: string | undefined } | null {
  if (typeof value !== 'object' || value === null || !('deviceCredential' in value)) return null
  return parse({ deviceCredential: optional(checks.anything<string>()) }, value, call)
}
