import { type KeptAccess, parseAccess } from './access-token.ts'
import type { TokenStorage } from './platform.ts'

/** What all tabs share of one login. */
export interface StoredTokens {
  /** Names the login; another login has another. */
  readonly login: string
  /** How often its refresh token was exchanged. Each exchange leads one step on, whichever tab makes it. */
  readonly step: number
  readonly refresh: string
  readonly deviceUid: string
  /** When this token was stored, in milliseconds since the epoch. */
  readonly storedAt: number
  /** Only where tabs have no other way to share it. */
  readonly access?: KeptAccess
  /** A request with the token of this step was given up, and may still reach the server until then. */
  readonly pending?: { readonly step: number; readonly until: number }
}

/** The refresh token in the storage that all tabs share. Nothing of it is remembered: each look is a fresh one. */
export interface TokenStore {
  read(): StoredTokens | null
  /** @throws what the storage throws, for example when it is full */
  begin(tokens: StoredTokens): void
  /**
   * Stores the token that an exchange of `sent` gave, unless other tabs have got further meanwhile: an answer that
   * reaches a tab after hours must not put an old token back.
   *
   * @returns what is stored now; null when this answer is out of date
   * @throws what the storage throws
   */
  advance(
    sent: StoredTokens,
    next: Pick<StoredTokens, 'refresh' | 'storedAt' | 'access'>,
  ): StoredTokens | null
  /** Remembers that a request was given up that may still arrive. */
  doubt(sent: StoredTokens, until: number): void
  /** Removes this token, unless another one has taken its place. */
  end(tokens: StoredTokens): void
  /** For the next login of this client; outlives the tokens. */
  credential(): string | null
  keepCredential(credential: string): void
}

/** Keeps tokens under two names of the storage: `<key>.tokens` and `<key>.device`. */
export function createTokenStore(storage: TokenStorage, key: string): TokenStore {
  const [tokensKey, deviceKey] = [`${key}.tokens`, `${key}.device`]
  const write = (tokens: StoredTokens): void => storage.setItem(tokensKey, JSON.stringify(tokens))
  const read = (): StoredTokens | null => parse(storage.getItem(tokensKey))
  return {
    read,
    begin: write,
    advance(sent, { refresh, storedAt, access }) {
      const stored = read()
      if (stored?.login !== sent.login || stored.step > sent.step + 1) return null
      if (stored.step === sent.step + 1) return stored // Another tab was given the same one.
      const next = {
        ...stored,
        step: sent.step + 1,
        refresh,
        storedAt,
        ...(access ? { access } : {}),
      }
      write(next)
      return next
    },
    doubt(sent, until) {
      const stored = read()
      if (stored?.login !== sent.login) return
      try {
        write({ ...stored, pending: { step: sent.step, until } })
      } catch {
        // A full storage takes no token either.
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
    const { login, step, refresh, deviceUid, storedAt, access, pending } = value ?? {}
    if (typeof login !== 'string' || typeof refresh !== 'string' || typeof deviceUid !== 'string')
      return null
    if (typeof step !== 'number' || typeof storedAt !== 'number') return null
    const shared = parseAccess(access)
    return {
      ...{ login, step, refresh, deviceUid, storedAt },
      ...(shared ? { access: shared } : {}),
      ...(isPending(pending) ? { pending } : {}),
    }
  } catch {
    return null // Not ours.
  }
}

function isPending(value: unknown): value is NonNullable<StoredTokens['pending']> {
  const { step, until } = (value ?? {}) as Record<string, unknown>
  return typeof step === 'number' && typeof until === 'number'
}
