import type { UserId } from '@quillgate/server/core'
import type { RequestContext } from '@quillgate/server/http'
import type { DeviceRecord } from '../../devices/tables/device-record.ts'
import type { User } from '../../devices/users.ts'
import type { AccessTokens } from '../../tokens/access-token.ts'
import type { DerivedTokens } from '../../tokens/derived-token.ts'

/** Issues and verifies the tokens of each kind. */
export interface Tokens {
  readonly access: AccessTokens
  readonly refresh: DerivedTokens
  readonly session: DerivedTokens
  /** Device credentials. A browser or client sends its device credential with the next login. */
  readonly credential: DerivedTokens
}

/** The content of an application's own session, which the option `session` returns. */
export interface OwnSession {
  /** The id of the signed-in user. */
  readonly userId: UserId
  /** The `uid` of the device that `login` returned. */
  readonly deviceUid: string | null | undefined
  /**
   * The id of the session. Return the id only if it is also passed to `login`. If the device has
   * another session id, the session is rejected.
   */
  readonly sessionId?: string | undefined
}

/** Reads the application's own session of a request. */
export type ReadSession = (
  context: RequestContext,
) => OwnSession | null | undefined | Promise<OwnSession | null | undefined>

/** The device that made a request. */
export interface FoundSession {
  readonly record: DeviceRecord
  readonly transport: 'cookie' | 'bearer' | 'session'
  /**
   * True if the request contains the newest token. False if it contains an older token or only the
   * application's own session.
   */
  readonly isNewest: boolean
}

/** The reason why a request is not signed in. */
export type Refusal = keyof typeof REFUSALS

/** The `detail` of the error for each reason. */
export const REFUSALS = {
  authentication_required: 'Sign in first.',
  token_invalid: 'This token is not valid. Sign in again.',
  token_expired: 'This token has expired. Refresh it, or sign in again.',
  device_not_recognized: 'This device was signed out. Sign in again.',
  inactive_account: 'This account is not active.',
} as const

/** The user and device of a request. */
export interface Identity {
  readonly user: User
  readonly record: DeviceRecord
  readonly transport: FoundSession['transport']
  /** True if the response sets a new session cookie. */
  readonly isRenewed: boolean
}

/** The identity of a request, or the reason why the request is not signed in. */
export type IdentifyResult = Identity | Refusal

/** The cached identity of a request. */
export interface CachedIdentity {
  readonly found: Promise<IdentifyResult>
  /** Looks up the identity again. */
  readonly find: () => Promise<IdentifyResult>
  /** Milliseconds since the epoch. */
  readonly since: number
}
