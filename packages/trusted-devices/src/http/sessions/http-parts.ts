import type { GateParts } from '@quillgate/server'
import type {
  Csrf,
  Network,
  Rate,
  RateLimiter,
  RequestContext,
  RequestContexts,
} from '@quillgate/server/http'
import type { RegistryParts } from '../../devices/registry.ts'
import type { Locate } from '../../network/location.ts'
import type { AccessTokens } from '../../tokens/access-token.ts'
import type { DerivedTokens } from '../../tokens/derived-token.ts'
import type { TokenPolicy } from '../../tokens/rotation-and-reuse.ts'
import type { LoginCookies } from './login-cookies.ts'
import type { CachedIdentities, ReadSession } from './session.ts'

/** The objects that find, renew and end the session of a request. */
export interface SessionParts {
  readonly registry: RegistryParts
  /** Returns the client's address in the form in which it is stored. */
  readonly storedAddress: (context: RequestContext) => string | null
  readonly csrf: Csrf
  /** Asks all components of the application object for the user of a request. */
  readonly identifyAny: GateParts['components']['identify']
  /** The option `session`. */
  readonly readSession: ReadSession | undefined
  readonly cookies: LoginCookies
  readonly tokens: {
    readonly access: AccessTokens
    readonly refresh: DerivedTokens
    readonly session: DerivedTokens
    /** Device credentials, which a browser or client sends with its next login. */
    readonly credential: DerivedTokens
  }
  readonly policy: TokenPolicy
  readonly identities: CachedIdentities
  /** Logs the first message of each kind as a warning. */
  readonly warnOnce: (message: string, kind: string) => void
}

/** The objects that a login, and the endpoints of passwords and tokens, need in addition. */
export interface HttpParts extends SessionParts {
  readonly contexts: RequestContexts
  readonly network: Network
  readonly locate: Locate
  readonly limiter: RateLimiter
  readonly loginRate: Rate | null
  readonly refreshRate: Rate | null
}
