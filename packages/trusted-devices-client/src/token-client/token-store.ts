import type { TokenStorage } from './platform.ts'

/** The tokens of one login, shared by all tabs. */
export interface StoredTokens {
  readonly login: string
  /** The number of exchanges of the refresh token since the login, in all tabs. */
  readonly step: number
  readonly refresh: string
  readonly deviceUid: string
  /** The time when the refresh token was stored, in milliseconds since the epoch. */
  readonly storedAt: number
  /**
   * A refresh request without a response. `step` is the step of the sent token. `until` is the time
   * until which the request can still arrive, in milliseconds since the epoch.
   */
  readonly pending?: { readonly step: number; readonly until: number }
}

/**
 * Reads and writes the tokens in the storage that all tabs share. Caches nothing, so each call
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
   * Stores the token that the exchange of `sent` returned. Does nothing if another tab has stored a
   * newer token. This is possible because a suspended tab can receive its response hours later.
   *
   * @returns the stored tokens, or null if the returned token or its login is out of date
   * @throws the error of the storage
   */
  advance(sent: StoredTokens, next: Pick<StoredTokens, 'refresh' | 'storedAt'>): StoredTokens | null
  /**
   * Records a request without a response that can still reach the server.
   *
   * @param until the time until which the request can arrive, in milliseconds since the epoch
   */
  markPending(sent: StoredTokens, until: number): void
  /** Removes the tokens if they are still the newest tokens. */
  end(tokens: StoredTokens): void
  /**
   * Returns the device credential for the next login, or null. The credential is kept after a
   * logout.
   */
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
      // Another tab got the same token for the same exchange.
      if (stored.step === sent.step + 1) return stored
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
        // The storage is full. A later exchange then fails with `storage_failed`.
      }
    },
    end(tokens) {
      if (isSame(read(), tokens)) storage.removeItem(tokensKey)
    },
    credential: () => storage.getItem(deviceKey),
    keepCredential: (credential) => storage.setItem(deviceKey, credential),
  }
}

/** Returns whether two objects contain the same refresh token of the same login. */
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
    return null // Other code wrote this value.
  }
}

function isPending(value: unknown): value is NonNullable<StoredTokens['pending']> {
  const { step, until } = (value ?? {}) as Record<string, unknown>
  return typeof step === 'number' && typeof until === 'number'
}
