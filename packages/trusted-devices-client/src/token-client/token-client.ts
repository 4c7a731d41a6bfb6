import { TokenClientError } from './errors.ts'
import { browserPlatform, type TokenPlatform } from './platform.ts'
import { isAboutToken, postToken } from './token-requests.ts'
import { TokenSession } from './token-session.ts'

/** Options of {@link createTokenClient}: all of them, and parts of the browser that are replaced. */
export interface TokenClientOptions extends Partial<TokenPlatform> {
  /** Where the endpoints are. @default '/trusted-devices' of the page's origin */
  readonly baseUrl?: string
  /** Origins beside that of `baseUrl` whose requests get the access token. @default [] */
  readonly origins?: readonly string[]
  /** Begins the names in the storage. Clients of one name share one login. @default 'quillgate' */
  readonly storageKey?: string
  /** Seconds for one request to a token endpoint. @default 10 */
  readonly timeout?: number
}

/** Signs a single-page application in, in all its tabs at once. */
export interface TokenClient {
  /** Uid of the device that this browser is; null when nobody is signed in. */
  readonly deviceUid: string | null
  /**
   * Signs in; in all tabs.
   *
   * @throws TokenClientError `invalid_credentials`, `device_limit_reached`, `rate_limited` (with `retryAt`), …
   */
  login(username: string, password: string): Promise<{ readonly deviceUid: string }>
  /**
   * Signs out, in all tabs, whether the server can be reached or not.
   *
   * @returns false when the server did not hear of it: the device stays in the list until somebody revokes it
   */
  logout(): Promise<boolean>
  /**
   * `fetch` with the access token, which is renewed shortly before it ends; after a 401 once more with a new one.
   * Requests to other origins than those of the options go without it.
   *
   * @throws TokenClientError when there is no token and none can be had now; what `fetch` throws
   */
  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>
  /** An access token for other uses, such as a WebSocket; null when nobody is signed in. @throws as `fetch` */
  accessToken(): Promise<string | null>
  /**
   * Hears once of each end of a sign-in, also of one that another tab or device made. Reasons: `logout`, the code of the
   * refusal (`device_not_recognized`, `token_reused`, `token_expired` …), `signed_out_elsewhere`.
   *
   * @returns a function that ends it
   */
  onSignedOut(listener: (reason: string) => void): () => void
  /** Ends the connection to the other tabs. */
  close(): void
}

/**
 * Makes a client for the bearer transport: the access token lives in memory, the refresh token in storage that all tabs
 * share, and of all tabs one exchanges it. A server that cannot be reached signs nobody out.
 *
 * @example
 * const client = createTokenClient({ baseUrl: 'https://api.example.com/trusted-devices' })
 * client.onSignedOut(() => router.push('/login'))
 * await client.login(username, password)
 * const posts = await (await client.fetch('https://api.example.com/posts')).json()
 */
export function createTokenClient(options: TokenClientOptions = {}): TokenClient {
  const {
    baseUrl = '/trusted-devices',
    origins = [],
    storageKey = 'quillgate',
    timeout = 10,
  } = options
  const platform: TokenPlatform = { ...browserPlatform(), ...given(options) }
  const base = new URL(baseUrl.replace(/\/$/, ''), globalThis.location?.href)
  const urlOf = (path: string): string => base.href + path
  const listeners = new Set<(reason: string) => void>()
  const session = new TokenSession({
    platform,
    key: storageKey,
    refreshUrl: urlOf('/token/refresh'),
    timeout: timeout * 1000,
    onSignedOut(reason) {
      for (const listener of [...listeners]) listener(reason)
    },
  })
  const post = (path: string, sending: Parameters<typeof postToken>[3]) =>
    postToken(platform, urlOf(path), timeout * 1000, sending)
  const unwatch = watchStorage(platform, () => session.look())

  return {
    get deviceUid() {
      return session.look()?.deviceUid ?? null
    },
    async login(username, password) {
      const credential = session.store.credential()
      const body = {
        username,
        password,
        ...(credential === null ? {} : { device_credential: credential }),
      }
      const asked = platform.clock()
      const answer = await post('/token', { body })
      if (answer.kind !== 'ok') throw failure(answer, asked)
      const {
        access,
        refresh,
        device_uid: deviceUid,
        device_credential: nextCredential,
      } = answer.body
      if (
        typeof access !== 'string' ||
        typeof refresh !== 'string' ||
        typeof deviceUid !== 'string'
      ) {
        throw new TokenClientError('unreachable', 'The server gave an unexpected answer.', {
          status: 200,
        })
      }
      if (typeof nextCredential === 'string') session.store.keepCredential(nextCredential)
      const login = `${deviceUid}.${asked}.${platform.random()}`
      session.begin({ login, step: 0, refresh, deviceUid, storedAt: asked }, access)
      return { deviceUid }
    },
    async logout() {
      const access = await session.access().catch(() => null)
      const answer = access === null ? null : await post('/logout', { access })
      const stored = session.store.read()
      if (stored) session.end(stored, 'logout')
      // A device that is not known any more is one that is signed out.
      return answer?.kind === 'ok' || (answer?.kind === 'refused' && answer.status === 401)
    },
    async fetch(input, init) {
      // Read once and copied: a body that streams can be sent only once, and is then not sent again.
      const request = new Request(input, init)
      if (![base.origin, ...origins].includes(new URL(request.url).origin))
        return platform.fetch(request)
      const access = await session.access()
      const spare = init?.body instanceof ReadableStream ? null : request.clone()
      const response = await platform.fetch(withToken(request, access))
      if (access === null || spare === null || !(await isAboutToken(response))) return response
      const next = await session.access(access).catch(() => null)
      return next === null ? response : platform.fetch(withToken(spare, next))
    },
    accessToken: () => session.access(),
    onSignedOut(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      unwatch()
      session.close()
    },
  }
}

function withToken(request: Request, access: string | null): Request {
  if (access !== null) request.headers.set('authorization', `Bearer ${access}`)
  return request
}

function failure(
  answer: Exclude<Awaited<ReturnType<typeof postToken>>, { kind: 'ok' }>,
  now: number,
): TokenClientError {
  const { status } = answer
  if (answer.kind === 'refused') return new TokenClientError(answer.code, answer.detail, { status })
  if (answer.kind === 'unreachable') {
    return new TokenClientError('unreachable', 'The server could not be reached.', {
      status,
      cause: answer.cause,
    })
  }
  const retryAt = answer.seconds === null ? null : now + answer.seconds * 1000
  return new TokenClientError(answer.code, 'The server asks to wait before the next try.', {
    status,
    retryAt,
  })
}

/** Storage tells other tabs of changes, also where there is no channel. Returns a function that ends it. */
function watchStorage({ storage }: TokenPlatform, look: () => unknown): () => void {
  const listen = (event: StorageEvent): void => {
    if (event.storageArea === storage) look()
  }
  globalThis.addEventListener?.('storage', listen)
  return () => globalThis.removeEventListener?.('storage', listen)
}

/** The parts of the platform that options replace. */
function given({
  storage,
  locks,
  openChannel,
  fetch,
  clock,
  wait,
  random,
}: TokenClientOptions): Partial<TokenPlatform> {
  const parts = { storage, locks, openChannel, fetch, clock, wait, random }
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined))
}
