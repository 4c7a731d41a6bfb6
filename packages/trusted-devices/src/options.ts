import type { Logger, UserId } from '@quillgate/server/core'
import type { DatabaseSource } from '@quillgate/server/database'
import type {
  CorsOptions,
  CsrfVerifier,
  FetchHandler,
  OpenApiDocument,
  ProxyHeader,
  RateLimiter,
  RequestContext,
} from '@quillgate/server/http'
import type { AlertOptions } from './alerts/alert-options.ts'
import type { Settled } from './deliveries.ts'
import type { ActingDevice } from './devices/operations/change.ts'
import type { DeviceRegistry, UserOperations } from './devices/registry.ts'
import type { TrustedDevice } from './devices/trusted-device.ts'
import type { User, UserIdKind, Users } from './devices/user.ts'
import type { Authenticated, SecondFactor, TrustRequirements } from './guard-options.ts'
import type { LocateFunction, Locator } from './network/location.ts'
import type { OutboxOperations } from './outbox/operations.ts'
import type { WebhookOptions } from './outbox/webhook-options.ts'
import type { PageMedia } from './page-media.ts'
import type { RevocationChannel } from './revocations/revocation-channel.ts'
import type { SettingName, Settings, SettingsInput } from './settings.ts'
import type { ReceiverFailure } from './signals/deliver.ts'
import type { DeviceSignals } from './signals/signals.ts'
import type { TokenStanding } from './tokens/token-state.ts'

/** Options of `createTrustedDevices`. */
export interface TrustedDevicesOptions<Kind extends UserIdKind = 'string'> {
  /** At least 32 bytes. Several while one replaces another: `[old, new]` on every node first, then `[new, old]`. */
  readonly secret: string | readonly string[]
  /** `sqlite:./file`, `postgres://…`, `mysql://…` (MariaDB), or a Kysely instance. */
  readonly database: DatabaseSource
  /** The application's users. */
  readonly users: Users<Kind>
  /**
   * What ids of users are, and so what `users.findById` gets: `'string'`, `'uuid'` (the same in upper and lower case),
   * `'number'` or `'bigint'`. A login with an id of another type is a ConfigurationError. @default 'string'
   */
  readonly userId?: Kind
  /** Where a login comes from: `mmdb(…)`, `fromHeaders(…)`, a function, or any other locator. @default places are unknown */
  readonly locate?: LocateFunction | Locator
  /** Seconds that `locate` may take. @default 2 */
  readonly locateTimeout?: number
  /** Seconds for which the answer of a `locate` function counts for an address; 0: not at all. @default 60 */
  readonly locateCacheTtl?: number
  /**
   * Imports the module that connects receivers: called once by `ready()`, before the first signal. It has 30 s. What it
   * connected before it failed is disconnected, and it is called again by the next `ready()`.
   */
  readonly receivers?: () => unknown
  /**
   * Called for each receiver that throws or rejects; with the outbox also for one that takes longer than `outboxTimeout`.
   * A receiver that is only slower than `receiverTimeout` is a warning of the logger. @default the logger
   */
  readonly onReceiverError?: (error: unknown, where: ReceiverFailure) => void
  /** Hears what each refresh token of a device that is there was found to be, for logs. No answer tells it. */
  readonly onRefresh?: (refresh: RefreshReport) => void
  /**
   * Mails to users about new devices, new countries and copied sign-ins, with a link for "this wasn't me":
   * `{ appName, to: (user) => user.email, send: (mail) => … }`. @default no mails
   */
  readonly alerts?: AlertOptions
  /** What differs from the defaults. */
  readonly settings?: SettingsInput
  /** Where the endpoints are. @default '/trusted-devices' */
  readonly basePath?: string
  /** The origin that browsers see, for example `https://example.com`. @default what each request says */
  readonly publicOrigin?: string
  /**
   * Addresses and CIDR ranges of the proxies whose headers count; `'unix'` for Unix sockets.
   * @default the framework's own configuration (`trust proxy` of Express), else nobody
   */
  readonly trustedProxies?: readonly string[]
  /** The header in which these proxies write the client's address; the other one is ignored. @default 'x-forwarded-for' */
  readonly proxyHeader?: ProxyHeader
  /**
   * Which other origins may call the endpoints from a browser: `{ origins: ['https://app.example.com'] }`. For clients
   * with bearer tokens: what is authenticated by cookies still needs our own origin. @default none
   */
  readonly cors?: CorsOptions
  /** False: `GET /trusted-devices/openapi.json` is not there; `openApi()` is. @default true */
  readonly openApi?: boolean
  /**
   * What the application makes its tokens with: one `createCsrf` for the application and both components, or a protection
   * of its own. @default `createCsrf` with the same secret
   */
  readonly csrf?: CsrfVerifier
  /** Counts logins, for example in Redis for several nodes. @default in memory */
  readonly rateLimiter?: RateLimiter
  /**
   * Tells the other nodes of a revocation within milliseconds: `postgresRevocations(url)` or `redisRevocations(…)`. Without
   * it, and whenever a message is lost, they see it after `deviceCacheTtl`. @default none
   */
  readonly revocations?: RevocationChannel
  /**
   * False: `ready()` creates no tables. Apply `deviceMigrations` yourself, with `migrationSql` of
   * `@quillgate/server/database`. @default true
   */
  readonly migrate?: boolean
  /**
   * What the application's own session of a request says, where it signs in with `transport: 'session'`; null when
   * nobody is signed in there. Not asked about requests with `Authorization: Bearer`.
   */
  readonly session?: (
    context: RequestContext,
  ) => OwnSession | null | undefined | Promise<OwnSession | null | undefined>
  /** Where events are sent to, signed by the Standard Webhooks specification; needs the setting `outbox`. @default [] */
  readonly webhooks?: readonly WebhookOptions[]
  /**
   * Tells this instance from another one on the same host or in the same database, for example `staff` beside
   * `customers`: 1 to 16 lower case letters, digits and hyphens. It is part of the names of cookies and tables, of the
   * keys of tokens, and of the keys of rate limits. Give each instance its own `basePath`, too. @default none
   */
  readonly name?: string
  /** What the table names begin with; `name` follows it. @default 'quillgate_' */
  readonly prefix?: string
  /** Hears of what went wrong without failing the request. @default console */
  readonly logger?: Logger
  /** Milliseconds since the epoch. @default Date.now */
  readonly clock?: () => number
}

/** What a refresh token was found to be. */
export interface RefreshReport {
  readonly userId: string
  readonly deviceUid: string
  /**
   * `current` was rotated; `answer_lost` and `within_grace`, one step behind, got the newest tokens again; `reused`
   * revoked the device; `expired` and `foreign`, of another login, were refused.
   */
  readonly standing: TokenStanding
}

/** How a user signs in. */
export interface LoginOptions {
  /**
   * `cookie` for browsers: set the headers on the answer. `bearer` for other clients: give them the tokens. `session`
   * for browsers whose session the application keeps itself, see the option `session`: set the headers, which hold the
   * device credential only, and keep the uid of the device in the session.
   */
  readonly transport: 'cookie' | 'bearer' | 'session'
  /** Bearer only: what the client got at its latest login, so that it is the same device again. */
  readonly deviceCredential?: string
  /**
   * The id of the application's own session, at most 255 characters: `device_revoked` gives it back. Call `login` after
   * the session was regenerated, or `updateSession` when that happens later.
   */
  readonly sessionId?: string
}

/** The live session that gets a device. */
export interface AdoptOptions {
  /** The id of the application's own session, at most 255 characters. */
  readonly sessionId: string
}

/** The device of a session that began without one. */
export interface Adoption {
  readonly device: TrustedDevice
  /** Append these to the answer: the device credential. */
  readonly headers: Headers
}

/** What an application's own session says, see the option `session`. */
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

/** What a login gave. */
export interface Login {
  readonly device: TrustedDevice
  /** True when this browser or client was known before. */
  readonly returning: boolean
  /** With `transport: 'bearer'`. */
  readonly tokens?: BearerTokens
  /** Append these to the answer: with `transport: 'cookie'` they carry the session. */
  readonly headers: Headers
}

/** The trusted devices of an application. Everything waits for `ready()` by itself. */
export interface TrustedDevices extends FetchHandler {
  /** The devices of all users: lists, edits and revokes them. */
  readonly registry: DeviceRegistry
  /** All data of one user: export, erasure, deletion. */
  readonly users: UserOperations
  /** Second factors that are remembered on devices. */
  readonly secondFactor: SecondFactor
  /** Signals of this instance only. Those of `@quillgate/trusted-devices/signals` hear of every instance. */
  readonly signals: DeviceSignals
  /** The events that are kept until they are delivered; needs the setting `outbox`. */
  readonly outbox: OutboxOperations
  /** Creates tables, checks the locator and imports the receivers. Called again after a failure, it tries again. */
  ready(): Promise<void>
  /**
   * Waits for receivers that still run. `close()` does so too, for 10 s; call this before it where receivers may take
   * longer.
   *
   * @param options `timeout`: the longest wait in seconds, by default 60
   * @returns receivers that have not finished, and events that were lost since the last call
   */
  settle(options?: { readonly timeout?: number }): Promise<Settled>
  /**
   * Ends all that this instance opened; whatever goes wrong with one of them, the others end too, and the first error is
   * thrown. Waits for a `ready()` that runs, as long as that takes; then up to 10 s for receivers, 10 s for mails, 4 s
   * for messages between nodes, and for the locator's `close` and the database's, which have no limit of ours. After it
   * the instance is of no use; called again it gives the same promise.
   */
  close(): Promise<void>
  /**
   * Registers the login of a user whose password you have checked. With `transport: 'cookie'` the session that the
   * browser had before ends, also one of another user.
   *
   * @throws QuillgateError 403 `inactive_account`, 409 `device_limit_reached`, 500 `invalid_user` for a user without a usable
   * id; ConfigurationError for wrong options of the login, and for an id whose type is not that of the option `userId`
   */
  login(user: User, context: RequestContext, options: LoginOptions): Promise<Login>
  /**
   * Registers a device for a user who is signed in already, by a session of the application that began before this
   * component was installed. Call it where the session has no uid of a device, and keep the uid in the session. Calls
   * for one session give one device. It sends `device_created` with the reason `adopted`, and `device_compromised` where
   * the device credential is outdated. It evicts and refuses nobody, mails nothing about a sign-in, and does not count as
   * an entered password. For sessions of a server-side store only: an old copy of a session that the browser keeps has no
   * uid, so adopting it would bring back a session that has ended.
   *
   * @returns null when the session must end: its device was revoked, or the account is not active
   * @throws QuillgateError 500 `invalid_user`; ConfigurationError without the option `session`
   *
   * @example
   * const adopted = await devices.adopt(user, fromExpress(req), { sessionId: req.sessionID })
   */
  adopt(user: User, context: RequestContext, options: AdoptOptions): Promise<Adoption | null>
  /**
   * Checks a password of your own login form, limited as `POST /trusted-devices/token` is (`loginRateLimit`): each try
   * counts for the address, a failure for the account, unless this browser has signed in to it before. Check the CSRF
   * token of the form first, or other sites can use up a visitor's tries.
   *
   * @param username as it was typed; a device counts as the account's when `users.usernameOf` gives the same name
   * @param verify the user with this name and password, or null
   * @param options `deviceCredential` of a bearer client; browsers send theirs as a cookie
   * @returns the user; null when there is none
   * @throws QuillgateError 429 `rate_limited` with `retry-after`
   *
   * @example
   * const user = await devices.guardLogin(context, username, () => accounts.check(username, password))
   * if (user) await devices.login(user, context, { transport: 'cookie' })
   */
  guardLogin<Found extends object>(
    context: RequestContext,
    username: string,
    verify: () => Found | null | undefined | Promise<Found | null | undefined>,
    options?: { readonly deviceCredential?: string },
  ): Promise<Found | null>
  /** Who made this request: by `Authorization: Bearer`, else by the session cookie. Null when nobody is signed in. */
  authenticate(context: RequestContext): Promise<Authenticated | null>
  /**
   * Lets a request through to a sensitive route, or throws the error to answer with. The device is read from the
   * database, so that a revocation on another node holds immediately.
   *
   * @throws QuillgateError 401 `authentication_required`; 403 `device_session_too_recent`, `step_up_required`,
   * `device_lacks_delete_permission`, `device_lacks_edit_permission`; ConfigurationError for wrong requirements
   *
   * @example
   * const { user } = await devices.requireTrusted(context, { minAge: 86_400, maxProofAge: 300 })
   */
  requireTrusted(context: RequestContext, requirements?: TrustRequirements): Promise<Authenticated>
  /**
   * Stores the new id of the application's own session, after the application regenerated it.
   *
   * @returns false if the device was revoked meanwhile: then the session must end
   */
  updateSession(device: ActingDevice, sessionId: string): Promise<boolean>
  /**
   * Revokes the device that made this request, if one did. Its headers remove the session cookie. It checks no CSRF token:
   * do so first, or other sites can sign your users out.
   */
  logout(context: RequestContext): Promise<{ readonly headers: Headers }>
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

/** What `url` needs beside the name of an endpoint. */
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
