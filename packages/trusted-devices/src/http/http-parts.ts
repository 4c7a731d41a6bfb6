import type { GateParts } from '@quillgate/server'
import type {
  ClientAssets,
  CorsOptions,
  Csrf,
  Network,
  Rate,
  RateLimiter,
  RequestContext,
  RequestContexts,
} from '@quillgate/server/http'
import type { RegistryParts } from '../devices/create-registry.ts'
import type { ApplicationSession } from '../devices/live-devices.ts'
import type { UserDirectory } from '../devices/users.ts'
import type { Locate } from '../network/location.ts'
import type { Publish } from '../signals/publisher.ts'
import type { AccessTokens } from '../tokens/access-token.ts'
import type { DerivedTokens } from '../tokens/derived-token.ts'
import type { DeviceCredentials } from '../tokens/device-credential.ts'
import type { TokenPolicy } from '../tokens/token-state.ts'
import type { BrowserCookies } from './sessions/browser-cookies.ts'
import type { Refusal } from './sessions/find-session.ts'
import type { Identity } from './sessions/identify.ts'
import type { Identities } from './sessions/identities.ts'
import type { LateCookieLog } from './sessions/late-cookie-log.ts'

/** The collaborators of the endpoints, created by the composition root. */
export interface HttpParts {
  readonly registry: RegistryParts
  readonly users: UserDirectory
  readonly network: Network
  /** The client's address in the form in which it is kept. */
  readonly keptAddress: (context: RequestContext) => string | null
  readonly locate: Locate
  readonly csrf: Csrf
  readonly contexts: RequestContexts
  /** Describes the endpoints of all components of the application object. */
  readonly openApi: GateParts['openApi']
  /** Returns who made a request for any component of the application object. */
  readonly identifyAny: GateParts['identify']
  readonly limiter: RateLimiter
  readonly loginRate: Rate | null
  readonly refreshRate: Rate | null
  /**
   * Reads the application's own session of a request. Null if the application does not have
   * sessions.
   */
  readonly findOwnSession: ((context: RequestContext) => Promise<ApplicationSession | null>) | null
  readonly cookies: BrowserCookies
  readonly tokens: TokenMakers
  readonly policy: TokenPolicy
  readonly publish: Publish
  /** The identities of requests. */
  readonly identities: Identities<Identity | Refusal>
  /** Where the endpoints are, for example `/trusted-devices`. */
  readonly basePath: string
  /** The files that pages load. */
  readonly assets: ClientAssets
  readonly cors: CorsOptions | undefined
  /** Called with unexpected errors. */
  readonly onUnexpected: (error: unknown) => void
  /** Called when `users.findById` finds no user for a device that is signed in. */
  readonly noteMissingUser: () => void
  /** Called when a browser still sends an old session cookie although it was given a newer one. */
  readonly noteLateCookie: LateCookieLog
}

/** The makers of all tokens. */
export interface TokenMakers {
  readonly access: AccessTokens
  readonly refresh: DerivedTokens
  readonly session: DerivedTokens
  /** Bound to the user's id. */
  readonly credential: DeviceCredentials
}
