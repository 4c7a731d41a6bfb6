import type { Quillgate } from '@quillgate/server'
import type { TrustRequirements } from './devices/permissions.ts'
import type { DeviceRegistry } from './devices/registry.ts'
import type { DeviceKey } from './devices/tables/device-record.ts'
import type { TrustedDevice } from './devices/tables/trusted-device.ts'
import type { UserOperations } from './devices/user-operations.ts'
import type { User } from './devices/users.ts'
import type { EndpointUrl } from './http/paths.ts'
import type { AdoptOptions, Login, LoginOptions } from './http/sessions/login-options.ts'
import type { SecondFactor } from './http/sessions/second-factor.ts'
import type { OutboxOperations } from './outbox/outbox.ts'
import type { SettingName, Settings } from './settings.ts'
import type { Settled } from './signals/deliveries.ts'
import type { DeviceSignals } from './signals/signals.ts'

/** The user and the device of a request. */
export interface Authenticated {
  readonly user: User
  readonly device: TrustedDevice
}

/**
 * The API of trusted devices. Methods that use the database wait for `gate.ready()`. The parameter
 * `request` is the request object of the framework, such as `req` in Express, or a web `Request`.
 */
export interface TrustedDevices {
  /** The application object that was passed to `createTrustedDevices`. */
  readonly gate: Quillgate
  /** The option `name`, or undefined. */
  readonly name: string | undefined
  /** Lists, edits and revokes the devices of all users. */
  readonly registry: DeviceRegistry
  /** Exports, erases or deletes all data of one user. */
  readonly users: UserOperations
  /** Second factors that are remembered on devices. */
  readonly secondFactor: SecondFactor
  /**
   * The signals of this instance. `@quillgate/trusted-devices/signals` exports the signals of all
   * instances.
   */
  readonly signals: DeviceSignals
  /** Lists, replays and delivers stored events. Requires the setting `outbox`. */
  readonly outbox: OutboxOperations
  /**
   * Waits for receivers that are still running. `gate.close()` waits for at most 10 s. If receivers
   * may take longer, call `settle` first.
   *
   * @param options `timeout`: the maximum wait in seconds, by default 60
   * @returns receivers that have not finished, and events that were lost since the last call
   */
  settle(options?: { readonly timeout?: number }): Promise<Settled>
  /**
   * Registers the login of a user whose password you have checked. Sets the cookies of a browser,
   * or returns the tokens of a bearer client. A previous session of the browser ends, even if it
   * belongs to another user. CSRF tokens of open pages become invalid.
   *
   * @throws QuillgateError 403 `inactive_account`; 500 `invalid_user` for an unusable id
   * @throws ConfigurationError for wrong options, for a numeric id without `users.parseId`, and if
   * cookies can no longer be set
   */
  login(user: User, request: unknown, options?: LoginOptions): Promise<Login>
  /**
   * Registers a device for a user who is already signed in with a session of the application. The
   * session may have begun before this component was installed. Call `adopt` if the session
   * contains no device uid, and then save the uid in the session. All calls for one session return
   * the same device. `adopt` sends `device_created` with the reason `adopted`, and
   * `device_compromised` if the device credential is outdated. Unlike `login`, `adopt` revokes no
   * other device, causes no mail about a sign-in, and does not count as a password entry. Use
   * `adopt` only if a server-side store contains the sessions. If the browser stores the session,
   * an old copy without the uid can replace the session. The adoption of such a copy would restore
   * a session that has ended.
   *
   * @returns the device, or null if the session must end because its device was revoked or the
   * account is not active
   * @throws QuillgateError 500 `invalid_user`
   * @throws ConfigurationError without the option `session`, and if cookies can no longer be set
   *
   * @example
   * const device = await devices.adopt(user, req, { sessionId: req.sessionID })
   */
  adopt(user: User, request: unknown, options: AdoptOptions): Promise<TrustedDevice | null>
  /**
   * Checks a password of your own login form. Applies the rate limits of `POST
   * /trusted-devices/token` (setting `loginRateLimit`). Attempts are counted per address. Failures
   * are also counted per account. A browser that has signed in to the account before has its own
   * limits. Check the CSRF token of the form first. Otherwise, other sites can use up a visitor's
   * attempts.
   *
   * @param username the name that the user entered. A browser is recognized if `users.usernameOf`
   * returns the same name for the owner of its device.
   * @param verify returns the user with this name and password, or null
   * @param options `deviceCredential`: the device credential of a bearer client. Browsers send it
   * as a cookie.
   * @returns the user that `verify` returned, or null
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
   * Returns the user and device of this request, or null if the request is not signed in. Reads
   * `Authorization: Bearer`, the session cookie or the application's own session. Renews an old
   * session cookie. The result is cached per request for 5 seconds. `requireTrusted` always reads
   * the device from the database.
   */
  authenticate(request: unknown): Promise<Authenticated | null>
  /**
   * Protects a sensitive route. Returns the user and device if the device meets the requirements.
   * Otherwise, throws the error to respond with. Reads the device from the database, so that a
   * revocation on another node takes effect immediately.
   *
   * @throws QuillgateError 401 `authentication_required`, `token_expired`; 403
   * `device_session_too_recent`, `step_up_required`, `device_lacks_delete_permission`,
   * `device_lacks_edit_permission`
   * @throws ConfigurationError for wrong requirements
   *
   * @example
   * const { user } = await devices.requireTrusted(req, { minAge: 86_400, maxProofAge: 300 })
   */
  requireTrusted(request: unknown, requirements?: TrustRequirements): Promise<Authenticated>
  /**
   * Stores the new id of the application's own session. Call this method after the application
   * regenerated the session.
   *
   * @returns false if the device has been revoked. In this case, end the session.
   */
  updateSession(device: DeviceKey, sessionId: string): Promise<boolean>
  /**
   * Revokes the device of this request and removes the session cookie. Check the CSRF token first.
   * Otherwise, other sites can sign your users out.
   *
   * @throws ConfigurationError if cookies can no longer be set
   */
  logout(request: unknown): Promise<void>
  /**
   * Returns the path of an endpoint, including the base path. Pass the parameters of the path, such
   * as `uid`.
   *
   * @throws QuillgateError `unknown_endpoint`
   * @throws ConfigurationError if a parameter is missing
   */
  readonly url: EndpointUrl
  /**
   * The URLs of the module scripts and stylesheets of `<trusted-devices>`, for pages that show the
   * list. The URLs change with every build.
   */
  readonly assets: { readonly js: readonly string[]; readonly css: readonly string[] }
  /**
   * Returns the value of a setting.
   *
   * @throws QuillgateError `unknown_setting` if there is no setting with this name
   */
  getSetting<Key extends SettingName>(key: Key): Settings[Key]
}
