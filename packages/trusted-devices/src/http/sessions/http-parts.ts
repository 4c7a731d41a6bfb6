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

/** The objects that are needed to find, renew and end the session of a request. */
export interface SessionParts {
  readonly registry: RegistryParts
  /** Returns the client's address in the form in which it is stored. */
  readonly storedAddress: (context: RequestContext) => string | null
  readonly csrf: Csrf
  /**
   * Returns the user of a request. Any component of the application object can identify the user.
   */
  readonly identifyAny: GateParts['components']['identify']
  /** The option `session`. */
  readonly readSession: ReadSession | undefined
  readonly cookies: LoginCookies
  readonly tokens: {
    readonly access: AccessTokens
    readonly refresh: DerivedTokens
    readonly session: DerivedTokens
    /** Device credentials. A browser or client sends its device credential with the next login. */
    readonly credential: DerivedTokens
  }
  readonly policy: TokenPolicy
  readonly identities: CachedIdentities
  /** Logs a warning. Logs only the first warning of each kind. */
  readonly warnOnce: (message: string, kind: string) => void
}

/** The objects that logins and the endpoints for passwords and tokens need. */
export interface HttpParts extends SessionParts {
  readonly contexts: RequestContexts
  readonly network: Network
  readonly locate: Locate
  readonly limiter: RateLimiter
  readonly loginRate: Rate | null
  readonly refreshRate: Rate | null
}
