import {
  type Check,
  ConfigurationError,
  checks,
  type Input,
  isStorableText,
  optional,
  Problem,
  required,
} from '@quillgate/server/core'
import type { TrustedDevice } from '../../devices/tables/trusted-device.ts'

const MAX_SESSION_ID = 255

const sessionId: Check<string> = (value) => {
  if (isStorableText(value, MAX_SESSION_ID)) return value
  // The value is a secret, so the message does not contain it.
  return new Problem(`must be the id of a session: text of 1 to ${MAX_SESSION_ID} characters`)
}

/** The schema of {@link LoginOptions}. */
export const LOGIN_OPTIONS = {
  /**
   * `cookie`: for browsers. `bearer`: for other clients; send them the returned tokens. `session`:
   * for browsers with a session of the application (see the option `session` of
   * `createTrustedDevices`). With `session`, sets the device cookie but no session cookie. The
   * application then stores the uid of the device in its session. The default is `session` if the
   * option `session` is set, otherwise `cookie`.
   */
  transport: optional(checks.oneOf(['cookie', 'bearer', 'session'])),
  /**
   * Only for `bearer`: the device credential that the client received at its latest login. The
   * client is then recognized as the same device.
   */
  deviceCredential: optional(checks.anything<string>()),
  /**
   * The id of the application's own session, at most 255 characters. The signal `device_revoked`
   * contains this id. Call `login` after you regenerated the session. If you regenerate it later,
   * call `updateSession`.
   */
  sessionId: optional(sessionId),
}

/** The options of `login`. */
export type LoginOptions = Input<typeof LOGIN_OPTIONS>

/** The schema of {@link AdoptOptions}. */
export const ADOPT_OPTIONS = {
  /** The id of the application's own session, at most 255 characters. */
  sessionId: required(sessionId),
}

/** The options of `adopt`. */
export type AdoptOptions = Input<typeof ADOPT_OPTIONS>

/** The tokens that a login with `transport: 'bearer'` returns. */
export interface BearerTokens {
  /** A short-lived JWT for `Authorization: Bearer`. */
  readonly access: string
  /** A token for `POST /trusted-devices/token/refresh`. Each call returns a new refresh token. */
  readonly refresh: string
  /** The device credential to send with the next login of this client. */
  readonly deviceCredential: string
}

/** The result of a login. */
export interface Login {
  readonly device: TrustedDevice
  /** True if the browser or client was recognized. */
  readonly returning: boolean
  /** Only with `transport: 'bearer'`. */
  readonly tokens?: BearerTokens
}

/** Throws a ConfigurationError that names the method `call` if the value is not a user. */
export function checkUser(call: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && 'id' in value) return
  const problem = 'needs a user object with the property id. Check first whether a user was found'
  throw new ConfigurationError(call, problem, value)
}
