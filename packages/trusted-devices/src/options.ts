import type { GateParts, Quillgate } from '@quillgate/server'
import {
  anything,
  basePath,
  type Check,
  ConfigurationError,
  field,
  functionOf,
  has,
  type Input,
  nearNames,
  optional,
  Problem,
  parse,
  required,
  type UserId,
  type Values,
} from '@quillgate/server/core'
import type { OpenApiDocument, RequestContext } from '@quillgate/server/http'
import type { AlertOptions } from './alerts/alert-options.ts'
import type { ActingDevice } from './devices/acting-device.ts'
import type { DeviceRegistry, UserOperations } from './devices/registry.ts'
import type { TrustedDevice } from './devices/trusted-device.ts'
import type { User, Users } from './devices/user.ts'
import type { Authenticated, SecondFactor, TrustRequirements } from './guard-options.ts'
import { instanceName } from './instance-names.ts'
import type { Limits } from './limits.ts'
import type { LocateFunction, Locator } from './network/location.ts'
import type { OutboxOperations } from './outbox/operations.ts'
import type { WebhookOptions } from './outbox/webhook-options.ts'
import type { PageMedia } from './page-media.ts'
import type { RevocationChannel } from './revocations/revocation-channel.ts'
import {
  type AllSettings,
  resolveSettings,
  type SettingName,
  type Settings,
  type SettingsInput,
} from './settings.ts'
import type { Settled } from './signals/deliveries.ts'
import type { DeviceSignals } from './signals/signals.ts'

/** Every option of trusted devices, for an application whose users have ids of this kind. */
export const optionsFor = <Id = string>() => ({
  /** [Settings](#settings) that differ from the defaults. */
  settings: optional(anything<SettingsInput>()),
  /**
   * The application's users: `findById(id)`, `isActive?(user)`, `verifyCredentials?(username, password)`,
   * `usernameOf?(user)`, and `parseId: Number` [if `user.id` is a number](trusted-devices-admin.md#ids-of-users).
   */
  users: required(users<Id>()),
  /**
   * [Where a login comes from](trusted-devices-location.md): `mmdb(…)`, `fromHeaders(…)`, a function, or any other
   * locator. Without it, places are unknown.
   */
  locate: optional(locator),
  /**
   * Imports the module that connects receivers: called once by `ready()`, before the first signal. It has 30 s. What it
   * connected before it failed is disconnected, and the next `ready()` calls it again.
   */
  receivers: optional(functionOf<() => unknown>()),
  /**
   * [Mails to users](trusted-devices-alerts.md) about new devices, new countries and copied sign-ins, with a link for
   * "this wasn't me": `{ appName, to: (user) => user.email, send: (mail) => … }`.
   */
  alerts: optional(anything<AlertOptions>()),
  /** Path of the endpoints. */
  basePath: field(basePath, '/trusted-devices'),
  /**
   * [Tells the other nodes](trusted-devices-nodes.md#revocations-on-other-nodes) of a revocation within milliseconds:
   * `postgresRevocations(url)` or `redisRevocations(…)`. Without it, and if a message is lost, they see it after
   * `deviceCacheTtl`.
   */
  revocations: optional(has<RevocationChannel>('open', 'publish', 'close')),
  /**
   * Returns what [the application's own
   * session](trusted-devices-guards.md#sessions-that-you-have-already) of a request contains, if it
   * signs in with `transport: 'session'`, or null without a signed-in user. Not called for requests
   * with `Authorization: Bearer`.
   */
  session: optional(
    functionOf<
      (
        context: RequestContext,
      ) => OwnSession | null | undefined | Promise<OwnSession | null | undefined>
    >(),
  ),
  /** [Where events are sent](trusted-devices-outbox.md#webhooks), signed by Standard Webhooks; needs the setting `outbox`. */
  webhooks: field(anything<readonly WebhookOptions[]>(), []),
  /**
   * Distinguishes [two instances](trusted-devices-admin.md#two-instances-on-one-host) on one host
   * or in one database, for example `staff` and `customers`: 1 to 16 lower case letters, digits and
   * hyphens. It is part of the names of cookies and tables, of the keys of tokens, and of the keys
   * of rate limits. Give each instance its own `basePath`, too.
   */
  name: optional(instanceName),
})

/** Options of `createTrustedDevices`. */
export type TrustedDevicesOptions<Id = string> = Input<ReturnType<typeof optionsFor<Id>>>

/** Checked options with their defaults. */
export interface DevicesConfiguration
  extends Omit<Values<ReturnType<typeof optionsFor<unknown>>>, 'settings'> {
  readonly settings: AllSettings
}

/**
 * Checks options and settings, also against each other, and adds the defaults.
 *
 * @throws ConfigurationError that names the option or setting
 */
export function resolveOptions(
  input: TrustedDevicesOptions<unknown>,
  { hasTrustedProxies }: Pick<GateParts, 'hasTrustedProxies'>,
  limits: Limits,
): DevicesConfiguration {
  const options = parse(optionsFor<unknown>(), input)
  const { locate } = options
  if (typeof locate === 'object' && locate.needsTrustedProxies && !hasTrustedProxies) {
    throw new ConfigurationError(
      'trustedProxies',
      'is required with fromHeaders: only headers of a proxy that is listed there count',
    )
  }
  return { ...options, settings: resolveSettings(options.settings, limits) }
}

function locator(value: unknown): LocateFunction | Locator | Problem {
  const isLocator =
    typeof value === 'function' || typeof (value as Locator | null)?.locate === 'function'
  return isLocator
    ? (value as LocateFunction | Locator)
    : new Problem('must be a function or a locator such as fromHeaders("cf-ipcountry")', value)
}

const USER_METHODS = ['findById', 'parseId', 'isActive', 'verifyCredentials', 'usernameOf'] as const

/** Accepts users. They may have other methods, but none that looks like one that is missing. */
function users<Id>(): Check<Users<Id>> {
  return (value) => {
    const checked = has<Users<Id>>('findById')(value)
    if (checked instanceof Problem) return checked
    const missing = USER_METHODS.filter((method) => checked[method] === undefined)
    for (const method of USER_METHODS) {
      const given: unknown = checked[method]
      if (given !== undefined && typeof given !== 'function')
        return new Problem('must be a function', given, `.${method}`)
    }
    for (const other of methodNames(checked)) {
      const isKnown = USER_METHODS.some((method) => method === other)
      const [meant] = isKnown ? [] : nearNames(other, missing)
      if (meant === undefined) continue
      const text = `is not a method of users. Perhaps ${meant} is meant`
      return new Problem(text, undefined, `.${other}`)
    }
    return checked
  }
}

/** Returns the names of the methods of an object and its classes. */
function methodNames(value: object): string[] {
  const names: string[] = []
  for (let at: unknown = value; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    const members = Object.entries(Object.getOwnPropertyDescriptors(at))
    names.push(
      ...members.filter(([, member]) => typeof member.value === 'function').map(([name]) => name),
    )
  }
  return names
}

/** How a user signs in. */
export interface LoginOptions {
  /**
   * `cookie` for browsers. `bearer` for other clients: give them the tokens. `session` for browsers whose session the
   * application keeps itself, see the option `session`: only the device credential is set as a cookie, and the
   * application keeps the uid of the device in its session. By default `session` with that option, else `cookie`.
   */
  readonly transport?: 'cookie' | 'bearer' | 'session' | undefined
  /** Bearer only: what the client got at its latest login, so that it is the same device again. */
  readonly deviceCredential?: string | undefined
  /**
   * The id of the application's own session, at most 255 characters: `device_revoked` gives it back. Call `login` after
   * the session was regenerated, or `updateSession` when that happens later.
   */
  readonly sessionId?: string | undefined
}

/** The live session that gets a device. */
export interface AdoptOptions {
  /** The id of the application's own session, at most 255 characters. */
  readonly sessionId: string
}

/** The content of an application's own session, see the option `session`. */
export interface OwnSession {
  /** The user whom the session is of. */
  readonly userId: UserId
  /** `uid` of the device that `login` gave. */
  readonly deviceUid: string | null | undefined
  /** The id of the session, if `login` was told it: then no other session of this device counts. */
  readonly sessionId?: string | undefined
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

/**
 * The trusted devices of an application. Everything waits for `gate.ready()` by itself. A request is that of the
 * framework, such as the `req` of Express, or a web `Request`.
 */
export interface TrustedDevices {
  /** The application object that they belong to. */
  readonly gate: Quillgate
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
   * Waits for receivers that still run. `gate.close()` does so too, for 10 s. Call this before it if receivers may take
   * longer.
   *
   * @param options `timeout`: the longest wait in seconds, by default 60
   * @returns receivers that have not finished, and events that were lost since the last call
   */
  settle(options?: { readonly timeout?: number }): Promise<Settled>
  /**
   * Registers the login of a user whose password you have checked, and sets the cookies of a browser. The session that
   * the browser had before ends, also one of another user. CSRF tokens of pages that are open stop working.
   *
   * @throws QuillgateError 403 `inactive_account`, 409 `device_limit_reached`, 500 `invalid_user` for a user without a usable
   * id; ConfigurationError for wrong options of the login, for a numeric id without `users.parseId`, and if cookies
   * can no longer be set
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
   * (`loginRateLimit`): each attempt counts for the address, a failure for the account, unless this
   * browser has signed in to it before. Check the CSRF token of the form first, or other sites can
   * use up a visitor's attempts.
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
   * session cookie, which it renews from time to time. Null if the request is not signed in. The
   * answer is the same for all calls of one request; `requireTrusted` reads the database again.
   */
  authenticate(request: unknown): Promise<Authenticated | null>
  /**
   * Lets a request through to a sensitive route, or throws the error to answer with. The device is read from the
   * database, so that a revocation on another node holds immediately.
   *
   * @throws QuillgateError 401 `authentication_required`; 403 `device_session_too_recent`, `step_up_required`,
   * `device_lacks_delete_permission`, `device_lacks_edit_permission`; ConfigurationError for wrong requirements
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
   * Revokes the device that made this request, if one did, and removes the session cookie. It checks no CSRF token: do so
   * first, or other sites can sign your users out.
   *
   * @throws ConfigurationError if cookies can no longer be set
   */
  logout(request: unknown): Promise<void>
  /**
   * Sends the alerts that are due, and waits for those that are being sent. Nodes that run on do it by themselves; call
   * it where processes live for one request, and in tests. @returns how many mails were sent
   */
  sendAlerts(): Promise<number>
  /**
   * The path of an endpoint, with the parts that its path has.
   *
   * @throws QuillgateError `unknown_endpoint`; ConfigurationError when a part is missing
   */
  url<Name extends EndpointName>(name: Name, ...params: EndpointParams<Name>): string
  /** URLs of the script and the stylesheet of `<trusted-devices>`, for pages that show the list. */
  readonly media: PageMedia
  /** The OpenAPI 3.1 document of the endpoints, as `GET /trusted-devices/openapi.json` answers it. */
  openApi(): OpenApiDocument
  /** The value of a setting. @throws UnknownSettingError */
  getSetting<Key extends SettingName>(key: Key): Settings[Key]
}

/** The parameters of `url` for an endpoint. */
export type EndpointParams<Name extends EndpointName> = Name extends 'device' | 'secondFactor'
  ? [params: { readonly uid: string }]
  : Name extends 'alert'
    ? [params: { readonly token: string }]
    : []

/** Names of the endpoints. */
export type EndpointName =
  | 'list'
  | 'device'
  | 'openApi'
  | 'token'
  | 'tokenRefresh'
  | 'tokenVerify'
  | 'reauthenticate'
  | 'logout'
  | 'revokeAll'
  | 'secondFactor'
  | 'alert'
  | 'alertAnswer'
