import type { TokenStorage } from './platform.ts'

/** The tokens of one login, shared by all tabs. */
export interface StoredTokens {
  /** The id of the login. */
  readonly login: string
  /** The number of times that the refresh token was exchanged, by any tab. */
  readonly step: number
  readonly refresh: string
  readonly deviceUid: string
  /** When this token was stored, in milliseconds since the epoch. */
  readonly storedAt: number
  /**
   * A request without a response: the step of the token that it sent, and the time until which it
   * can still arrive, in milliseconds since the epoch.
   */
  readonly pending?: { readonly step: number; readonly until: number }
}

/**
 * Reads and writes the tokens in the storage that all tabs share. Nothing is cached: each call
 * reads the storage.
 */
export interface TokenStore {
  read(): StoredTokens | null
  /**
   * Stores the tokens of a new login.
   *
   * @throws the error of the storage, for example if it is full
   */
  begin(tokens: StoredTokens): void
  /**
   * Stores the token that the exchange of `sent` returned, unless other tabs have stored a newer
   * one. A suspended tab can receive its response hours later.
   *
   * @returns the stored tokens, or null if this answer is out of date
   * @throws the error of the storage
   */
  advance(sent: StoredTokens, next: Pick<StoredTokens, 'refresh' | 'storedAt'>): StoredTokens | null
  /**
   * Records that a request without a response can still reach the server until a time.
   *
   * @param sent the tokens that were sent
   * @param until milliseconds since the epoch
   */
  markPending(sent: StoredTokens, until: number): void
  /** Removes the tokens, unless newer ones have replaced them. */
  end(tokens: StoredTokens): void
  /** Returns the device credential for the next login, or null. It is kept after a logout. */
  credential(): string | null
  keepCredential(credential: string): void
}

/** Stores tokens under two keys: `<key>.tokens` and `<key>.device`. */
export function createTokenStore(storage: TokenStorage, key: string): TokenStore {
  const [tokensKey, deviceKey] = [`${key}.tokens`, `${key}.device`]
  const write = (tokens: StoredTokens): void => storage.setItem(tokensKey, JSON.stringify(tokens))
  const read = (): StoredTokens | null => parse(storage.getItem(tokensKey))
  return {
    read,
    begin: write,
    advance(sent, { refresh, storedAt }) {
      const stored = read()
      if (stored?.login !== sent.login || stored.step > sent.step + 1) return null
      if (stored.step === sent.step + 1) return stored // Another tab got the same token.
      const next = { ...stored, step: sent.step + 1, refresh, storedAt }
      write(next)
      return next
    },
    markPending(sent, until) {
      const stored = read()
      if (stored?.login !== sent.login) return
      try {
        write({ ...stored, pending: { step: sent.step, until } })
      } catch {
        // If the storage is full, the exchange fails later with a clear error.
      }
    },
    end(tokens) {
      if (isSame(read(), tokens)) storage.removeItem(tokensKey)
    },
    credential: () => storage.getItem(deviceKey),
    keepCredential: (credential) => storage.setItem(deviceKey, credential),
  }
}

/** Returns whether both are the same refresh token of the same login. */
export function isSame(a: StoredTokens | null, b: StoredTokens): boolean {
  return a?.login === b.login && a.step === b.step
}

function parse(text: string | null): StoredTokens | null {
  try {
    const value = JSON.parse(text ?? 'null') as Partial<Record<keyof StoredTokens, unknown>> | null
    const { login, step, refresh, deviceUid, storedAt, pending } = value ?? {}
    if (typeof login !== 'string' || typeof refresh !== 'string' || typeof deviceUid !== 'string')
      return null
    if (typeof step !== 'number' || typeof storedAt !== 'number') return null
    return {
      ...{ login, step, refresh, deviceUid, storedAt },
      ...(isPending(pending) ? { pending } : {}),
    }
  } catch {
    return null // Other code has written this value.
  }
}

function isPending(value: unknown): value is NonNullable<StoredTokens['pending']> {
  const { step, until } = (value ?? {}) as Record<string, unknown>
  return typeof step === 'number' && typeof until === 'number'
}
