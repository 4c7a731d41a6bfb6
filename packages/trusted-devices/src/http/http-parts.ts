import type { GateParts } from '@quillgate/server'
import type { Csrf, Network, Rate, RateLimiter, RequestContext } from '@quillgate/server/http'
import type { RegistryParts } from '../devices/registry.ts'
import type { Locate } from '../network/location.ts'
import type { Publish } from '../signals/publisher.ts'
import type { AccessTokens } from '../tokens/access-token.ts'
import type { DerivedTokens } from '../tokens/derived-token.ts'
import type { TokenPolicy } from '../tokens/rotation-and-reuse.ts'
import type { KeptIdentities } from './sessions/identify.ts'
import type { LoginCookies } from './sessions/login-cookies.ts'
import type { ReadSession } from './sessions/own-session.ts'

/** The collaborators of the endpoints and of the calls on requests. */
export interface HttpParts {
  readonly registry: RegistryParts
  readonly network: Network
  /** Returns the client's address in the form in which it is stored. */
  readonly storedAddress: (context: RequestContext) => string | null
  readonly locate: Locate
  readonly csrf: Csrf
  /** Returns who made a request for any component of the application object. */
  readonly identifyAny: GateParts['identify']
  readonly limiter: RateLimiter
  readonly loginRate: Rate | null
  readonly refreshRate: Rate | null
  /** Reads the application's own session of a request. Undefined if it does not have sessions. */
  readonly readSession: ReadSession | undefined
  readonly cookies: LoginCookies
  readonly tokens: TokenMakers
  readonly policy: TokenPolicy
  readonly publish: Publish
  readonly identities: KeptIdentities
  /** Logs the first message of each kind. */
  readonly warnOnce: (message: string, kind: string) => void
}

/** The makers of all tokens. */
export interface TokenMakers {
  readonly access: AccessTokens
  readonly refresh: DerivedTokens
  readonly session: DerivedTokens
  /** For devices: a browser or client sends it with its next login. */
  readonly credential: DerivedTokens
}
