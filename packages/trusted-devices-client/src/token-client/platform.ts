/**
 * The part of `localStorage` that the token client uses. All tabs share it, and its calls are
 * synchronous.
 */
export interface TokenStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** The part of `navigator.locks` that the token client uses. */
export interface TokenLocks {
  request<Result>(
    name: string,
    options: { signal: AbortSignal },
    work: () => Promise<Result>,
  ): Promise<Result>
}

/** The part of `BroadcastChannel` that the token client uses. */
export interface TokenChannel {
  onmessage: ((event: MessageEvent) => void) | null
  postMessage(message: unknown): void
  close(): void
}

/** The browser APIs that the token client uses. Each API can be replaced. */
export interface TokenPlatform {
  /** @default localStorage, or memory if the page has no access to localStorage */
  readonly storage: TokenStorage
  /**
   * @default navigator.locks. Null outside secure contexts, because browsers provide no locks
   * there.
   */
  readonly locks: TokenLocks | null
  /** @default a BroadcastChannel */
  readonly openChannel: (name: string) => TokenChannel
  readonly fetch: (request: Request) => Promise<Response>
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Resolves after this many milliseconds, or when the signal is aborted. Never rejects. */
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /**
   * Returns a random number from 0 to 1. Random delays prevent several tabs from acting at the same
   * time.
   */
  readonly random: () => number
}

/** Returns the APIs of this browser. */
export function browserPlatform(): TokenPlatform {
  return {
    storage: pageStorage(),
    locks: (globalThis.navigator as Navigator | undefined)?.locks ?? null,
    openChannel: (name) => new BroadcastChannel(name),
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
    // The page is sandboxed, or the user blocks storage. The tokens are then kept in memory.
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
