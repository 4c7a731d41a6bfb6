/** What the token client needs of `localStorage`: reads and writes that happen at once, and are seen by every tab. */
export interface TokenStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** What it needs of `navigator.locks`. */
export interface TokenLocks {
  request<Result>(
    name: string,
    options: { signal: AbortSignal },
    work: () => Promise<Result>,
  ): Promise<Result>
}

/** What it needs of a `BroadcastChannel`. */
export interface TokenChannel {
  onmessage: ((event: MessageEvent) => void) | null
  postMessage(message: unknown): void
  close(): void
}

/** The browser, as far as the token client uses it; each part can be replaced. */
export interface TokenPlatform {
  /** @default localStorage; in memory where pages may not have it */
  readonly storage: TokenStorage
  /** @default navigator.locks; null where there is none, as on http pages */
  readonly locks: TokenLocks | null
  /** @default BroadcastChannel; null where there is none */
  readonly openChannel: ((name: string) => TokenChannel) | null
  readonly fetch: (request: Request) => Promise<Response>
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Ends after so many milliseconds, or when the signal is aborted. Never rejects. */
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** A number from 0 to 1, to spread what tabs do at once. */
  readonly random: () => number
}

/** The browser that this script runs in. */
export function browserPlatform(): TokenPlatform {
  return {
    storage: pageStorage(),
    locks: (globalThis.navigator as Navigator | undefined)?.locks ?? null,
    openChannel: globalThis.BroadcastChannel ? (name) => new BroadcastChannel(name) : null,
    fetch: (request) => globalThis.fetch(request),
    clock: Date.now,
    wait: waitFor,
    random: Math.random,
  }
}

function pageStorage(): TokenStorage {
  try {
    if (globalThis.localStorage) return globalThis.localStorage
  } catch {
    // A sandboxed page, or one whose user forbids it.
  }
  const kept = new Map<string, string>()
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => {
      kept.set(key, value)
    },
    removeItem: (key) => {
      kept.delete(key)
    },
  }
}

function waitFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
  })
}
