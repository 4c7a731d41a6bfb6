import type { TrustedDevice } from '../../devices/trusted-device.ts'

/** How a user signs in. */
export interface LoginOptions {
  /**
   * `cookie` for browsers. `bearer` for other clients: give them the tokens. `session` for browsers
   * whose session the application keeps itself, see the option `session`: only the device
   * credential is set as a cookie, and the application keeps the uid of the device in its session.
   * By default `session` with that option, else `cookie`.
   */
  readonly transport?: 'cookie' | 'bearer' | 'session' | undefined
  /** Bearer only: what the client got at its latest login, so that it is the same device again. */
  readonly deviceCredential?: string | undefined
  /**
   * The id of the application's own session, at most 255 characters: `device_revoked` gives it
   * back. Call `login` after the session was regenerated, or `updateSession` when that happens
   * later.
   */
  readonly sessionId?: string | undefined
}

/** The live session that gets a device. */
export interface AdoptOptions {
  /** The id of the application's own session, at most 255 characters. */
  readonly sessionId: string
}

/** Tokens of a bearer client. */
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
