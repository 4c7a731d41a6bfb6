import type { TokenStorage } from './platform.ts'

/** The tokens of one login, shared by all tabs. */
export interface StoredTokens {
  /** The id of the login. */
  readonly login: string
  /** How often the refresh token was exchanged, by any tab. */
  readonly step: number
  readonly refresh: string
  readonly deviceUid: string
  /** When this token was stored, in milliseconds since the epoch. */
  readonly storedAt: number
  /** A request with the token of this step has no answer, and can still arrive until then. */
  readonly pending?: { readonly step: number; readonly until: number }
}

/** The refresh token in the storage of all tabs. Nothing is cached: each read sees the storage. */
export interface TokenStore {
  read(): StoredTokens | null
  /** @throws the error of the storage, for example when it is full */
  begin(tokens: StoredTokens): void
  /**
   * Stores the token that the exchange of `sent` returned, unless other tabs have a newer one. An
   * answer may reach a suspended tab after hours.
   *
   * @returns the stored tokens, or null if this answer is out of date
   * @throws the error of the storage
   */
  advance(sent: StoredTokens, next: Pick<StoredTokens, 'refresh' | 'storedAt'>): StoredTokens | null
  /** Records that a request without an answer can still arrive. */
  doubt(sent: StoredTokens, until: number): void
  /** Removes these tokens, unless newer ones have replaced them. */
  end(tokens: StoredTokens): void
  /** The device credential for the next login. It stays after a logout. */
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
    doubt(sent, until) {
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

/** Whether both are the same token of the same login. */
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
    return null // Written by other code.
  }
}

function isPending(value: unknown): value is NonNullable<StoredTokens['pending']> {
  const { step, until } = (value ?? {}) as Record<string, unknown>
  return typeof step === 'number' && typeof until === 'number'
}
