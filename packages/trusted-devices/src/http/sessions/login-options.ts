import { ConfigurationError, checks, type Input, optional, required } from '@quillgate/server/core'
import type { TrustedDevice } from '../../devices/trusted-device.ts'

/** A misspelt option is an error, because it would have no effect. */
export const LOGIN_OPTIONS = {
  /**
   * `cookie` for browsers. `bearer` for other clients: give them the tokens. `session` for browsers
   * whose session the application keeps itself, see the option `session`: only the device
   * credential is set as a cookie, and the application keeps the uid of the device in its session.
   * By default `session` with that option, else `cookie`.
   */
  transport: optional(checks.oneOf(['cookie', 'bearer', 'session'])),
  /** Bearer only: what the client got at its latest login, so that it is the same device again. */
  deviceCredential: optional(checks.anything<string>()),
  /**
   * The id of the application's own session, at most 255 characters: `device_revoked` gives it
   * back. Call `login` after the session was regenerated, or `updateSession` when that happens
   * later.
   */
  sessionId: optional(checks.anything<string>()),
}

/** How a user signs in. */
export type LoginOptions = Input<typeof LOGIN_OPTIONS>

/** The options of `adopt`. */
export const ADOPT_OPTIONS = {
  /** The id of the application's own session, at most 255 characters. */
  sessionId: required(checks.anything<string>()),
}

/** The live session that gets a device. */
export type AdoptOptions = Input<typeof ADOPT_OPTIONS>

/** The tokens that a login with `transport: 'bearer'` returns. */
export interface BearerTokens {
  /** A JWT for `Authorization: Bearer`, short-lived. */
  readonly access: string
  /** For `POST /trusted-devices/token/refresh`; a new one comes with each answer. */
  readonly refresh: string
  /** For the next login of this client. */
  readonly deviceCredential: string
}

/** The result of a login. */
export interface Login {
  readonly device: TrustedDevice
  /** True when this browser or client was known before. */
  readonly returning: boolean
  /** With `transport: 'bearer'`. */
  readonly tokens?: BearerTokens
}

/** Checks the argument of a call that is a user. @throws ConfigurationError */
export function checkUser(call: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && 'id' in value) return
  const problem = 'needs a user, with the member id: find out first whether there is one'
  throw new ConfigurationError(call, problem, value)
}
