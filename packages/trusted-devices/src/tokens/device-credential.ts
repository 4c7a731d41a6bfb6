import { createHmac } from 'node:crypto'
import { uuidBytes } from '../uuid.ts'
import {
  createDerivedTokens,
  type DerivedTokenClaims,
  type DerivedTokens,
} from './derived-token.ts'

/** The claims of a device credential: a device, and a position in its counter. */
export type CredentialClaims = Pick<DerivedTokenClaims, 'uid' | 'counter'>

/** Makes and reads device credentials. */
export interface DeviceCredentials {
  /** The credential of a device of this user. */
  issue(claims: CredentialClaims, userId: string): string
  /** The claims of a credential of this user's, or null. */
  parse(token: string, userId: string): CredentialClaims | null
  /**
   * Returns the claims of a credential with a valid mark, or null. A forged credential therefore
   * causes no query for its owner. The mark proves nothing else: call `parse`.
   */
  read(token: string): CredentialClaims | null
}

/**
 * Creates and reads device credentials: derived tokens that are bound to their user. Instead of a
 * session generation they contain a mark of 32 bits that only the server can compute. `read` checks
 * it without knowing the user. `parse` does not check it.
 *
 * @param keys the first signs, all verify (`deriveKeys`)
 * @param markKeys the same, for the marks
 */
export function createDeviceCredentials(
  keys: readonly [Buffer, ...Buffer[]],
  markKeys: readonly [Buffer, ...Buffer[]],
): DeviceCredentials {
  const tokens: DerivedTokens = createDerivedTokens(keys)
  return {
    issue: (claims, userId) =>
      tokens.issue({ ...claims, family: mark(markKeys[0], claims) }, userId),
    parse: (token, userId) => tokens.parse(token, userId),
    read(token) {
      const claims = tokens.read(token)
      return claims && markKeys.some((key) => mark(key, claims) === claims.family) ? claims : null
    },
  }
}

function mark(key: Buffer, { uid, counter }: CredentialClaims): number {
  return createHmac('sha256', key)
    .update(uuidBytes(uid))
    .update(String(counter))
    .digest()
    .readUInt32BE()
}
