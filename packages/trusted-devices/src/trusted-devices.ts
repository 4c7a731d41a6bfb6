import type { Quillgate } from '@quillgate/server'
import type { ActingDevice } from './devices/acting-device.ts'
import type { DeviceRegistry } from './devices/registry.ts'
import type { TrustedDevice } from './devices/trusted-device.ts'
import type { UserOperations } from './devices/user-data.ts'
import type { User } from './devices/users.ts'
import type { Authenticated, TrustRequirements } from './guards/require-trusted.ts'
import type { SecondFactor } from './guards/second-factor.ts'
import type { PageAssets } from './http/client-files.ts'
import type { EndpointUrl } from './http/paths.ts'
import type { AdoptOptions, Login, LoginOptions } from './http/sessions/login-options.ts'
import type { OutboxOperations } from './outbox/outbox.ts'
import type { SettingName, Settings } from './settings.ts'
import type { Settled } from './signals/deliveries.ts'
import type { DeviceSignals } from './signals/signals.ts'

/**
 * The trusted devices of an application. Everything waits for `gate.ready()` by itself. A request
 * is that of the framework, such as the `req` of Express, or a web `Request`.
 */
export interface TrustedDevices {
  /** The application object that they belong to. */
  readonly gate: Quillgate
  /** The option `name`, if there are several instances. */
  readonly name: string | undefined
  /** The devices of all users: lists, edits and revokes them. */
  readonly registry: DeviceRegistry
  /** All data of one user: export, erasure, deletion. */
  readonly users: UserOperations
  /** Second factors that are remembered on devices. */
  readonly secondFactor: SecondFactor
  /**
   * Signals of this instance only. `@quillgate/trusted-devices/signals` has the signals of all
   * instances.
   */
  readonly signals: DeviceSignals
  /** The events that are kept until they are delivered; needs the setting `outbox`. */
  readonly outbox: OutboxOperations
  /**
   * Waits for receivers that still run. `gate.close()` does so too, for 10 s. Call this before it
   * if receivers may take longer.
   *
   * @param options `timeout`: the longest wait in seconds, by default 60
   * @returns receivers that have not finished, and events that were lost since the last call
   */
  settle(options?: { readonly timeout?: number }): Promise<Settled>
  /**
   * Registers the login of a user whose password you have checked, and sets the cookies of a
   * browser. The session that the browser had before ends, also one of another user. CSRF tokens of
   * pages that are open stop working.
   *
   * @throws QuillgateError 403 `inactive_account`, 500 `invalid_user` for a user without a usable id;
   * ConfigurationError for wrong options of the login, for a numeric id without `users.parseId`, and
   * if cookies can no longer be set
   */
  login(user: User, request: unknown, options?: LoginOptions): Promise<Login>
  /**
   * Registers a device for a user who is already signed in by a session of the application, from
   * before this component was installed. Call it if the session has no device uid, and save the uid
   * in the session. All calls for one session return the same device. It sends `device_created`
   * with the reason `adopted`, and `device_compromised` if the device credential is outdated. It
   * evicts no device, refuses no user, mails nothing about a sign-in, and does not count as an
   * entered password. Use it for sessions of a server-side store only: an old copy of a session in
   * the browser has no uid, so adopting it would restore an ended session.
   *
   * @returns null if the session must end: its device was revoked, or the account is not active
   * @throws QuillgateError 500 `invalid_user`; ConfigurationError without the option `session`, and
   * if cookies can no longer be set
   *
   * @example
   * const device = await devices.adopt(user, req, { sessionId: req.sessionID })
   */
  adopt(user: User, request: unknown, options: AdoptOptions): Promise<TrustedDevice | null>
  /**
   * Checks a password of your own login form, with the limits of `POST /trusted-devices/token`
   * (`loginRateLimit`). Each attempt counts for the address. A failure also counts for the account,
   * unless this browser has signed in to it before. Check the CSRF token of the form first.
   * Otherwise other sites can use up a visitor's attempts.
   *
   * @param username as entered; a device belongs to the account if `users.usernameOf` returns the
   * same name
   * @param verify returns the user with this name and password, or null
   * @param options `deviceCredential` of a bearer client; browsers send theirs as a cookie
   * @returns the user, or null
   * @throws QuillgateError 429 `rate_limited` with `retry-after`
   *
   * @example
   * const user = await devices.guardLogin(req, username, () => accounts.check(username, password))
   * if (user) await devices.login(user, req)
   */
  guardLogin<Found extends object>(
    request: unknown,
    username: string,
    verify: () => Found | null | undefined | Promise<Found | null | undefined>,
    options?: { readonly deviceCredential?: string },
  ): Promise<Found | null>
  /**
   * Returns the user and device of this request: by `Authorization: Bearer`, otherwise by the
   * session cookie, which it renews from time to time. Null if the request is not signed in. Calls
   * of one request share the answer for 5 seconds; `requireTrusted` reads the database again.
   */
  authenticate(request: unknown): Promise<Authenticated | null>
  /**
   * Lets a request through to a sensitive route, or throws the error to answer with. The device is
   * read from the database, so that a revocation on another node holds immediately.
   *
   * @throws QuillgateError 401 `authentication_required`; 403 `device_session_too_recent`,
   * `step_up_required`, `device_lacks_delete_permission`, `device_lacks_edit_permission`;
   * ConfigurationError for wrong requirements
   *
   * @example
   * const { user } = await devices.requireTrusted(req, { minAge: 86_400, maxProofAge: 300 })
   */
  requireTrusted(request: unknown, requirements?: TrustRequirements): Promise<Authenticated>
  /**
   * Stores the new id of the application's own session, after the application regenerated it.
   *
   * @returns false if the device was revoked meanwhile: then the session must end
   */
  updateSession(device: ActingDevice, sessionId: string): Promise<boolean>
  /**
   * Revokes the device that made this request, if one did, and removes the session cookie. It
   * checks no CSRF token: do so first, or other sites can sign your users out.
   *
   * @throws ConfigurationError if cookies can no longer be set
   */
  logout(request: unknown): Promise<void>
  /**
   * The path of an endpoint, with the parts that its path has.
   *
   * @throws QuillgateError `unknown_endpoint`; ConfigurationError when a part is missing
   */
  readonly url: EndpointUrl
  /** URLs of the script and the stylesheet of `<trusted-devices>`, for pages that show the list. */
  readonly assets: PageAssets
  /** The value of a setting. @throws QuillgateError `unknown_setting` */
  getSetting<Key extends SettingName>(key: Key): Settings[Key]
}
