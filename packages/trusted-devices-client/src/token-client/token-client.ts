import { TokenClientError } from './errors.ts'
import { browserPlatform, type TokenPlatform } from './platform.ts'
import { isAboutToken, postToken } from './token-requests.ts'
import { TokenSession } from './token-session.ts'

/** Options of {@link createTokenClient}. Tests can also replace the browser APIs. */
export interface TokenClientOptions extends Partial<TokenPlatform> {
  /** The URL of the endpoints. @default '/trusted-devices' of the page's origin */
  readonly baseUrl?: string
  /** Other origins to which the access token is sent. @default [] */
  readonly origins?: readonly string[]
  /**
   * The prefix of the storage keys. Clients with the same prefix share one login. @default
   * 'quillgate'
   */
  readonly storageKey?: string
  /** The timeout of a request to a token endpoint, in seconds. @default 10 */
  readonly timeout?: number
}

/** A client that signs a user in and sends requests with the access token. Tabs share the login. */
export interface TokenClient {
  /** The uid of this browser's device, or null if the user is signed out. */
  readonly deviceUid: string | null
  /**
   * Signs the user in. All tabs share the login.
   *
   * @throws TokenClientError for example `invalid_credentials`, or `rate_limited` with `retryAt`
   */
  login(username: string, password: string): Promise<{ readonly deviceUid: string }>
  /**
   * Signs the user out in all tabs. Works even if the server is unreachable.
   *
   * @returns false if the server did not confirm the sign-out. The device then stays in the list
   * until it is revoked.
   */
  logout(): Promise<boolean>
  /**
   * Calls `fetch` with the access token. Renews the token shortly before it expires. If a 401
   * response rejects the token, renews the token and sends the request once more, unless its body
   * is a stream. Sends no token to origins other than those of `baseUrl` and `origins`.
   *
   * @throws TokenClientError if there is no valid token and the renewal failed
   * @throws the errors of `fetch`
   */
  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>
  /**
   * Returns an access token, for example for a WebSocket. Returns null if the user is signed out.
   *
   * @throws TokenClientError if there is no valid token and the renewal failed
   */
  accessToken(): Promise<string | null>
  /**
   * Calls `listener` each time a login ends. A login can end in this tab, in another tab or on the
   * server. The reason is `logout`, `signed_out_elsewhere`, or an error code of the server, such as
   * `device_not_recognized` or `token_reused`.
   *
   * @returns a function that removes the listener
   */
  onSignedOut(listener: (reason: string) => void): () => void
  /** Closes the channel to the other tabs. */
  close(): void
}

/**
 * Creates a client for bearer tokens. The access token is kept in memory. All tabs share the
 * refresh token in the browser's storage. One tab renews it for all tabs. If the server is
 * unreachable, the user stays signed in.
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
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const platform: TokenPlatform = { ...browserPlatform(), ...Object.fromEntries(given) }
  const base = new URL(baseUrl.replace(/\/$/, ''), globalThis.location?.href)
  const listeners = new Set<(reason: string) => void>()
  const session = new TokenSession({
    platform,
    key: storageKey,
    refreshUrl: `${base.href}/token/refresh`,
    timeout: timeout * 1000,
    onSignedOut(reason) {
      for (const listener of [...listeners]) listener(reason)
    },
  })
  const post: Post = (path, sending) =>
    postToken(platform, base.href + path, timeout * 1000, sending)
  const unwatch = watchStorage(platform, () => session.look())

  return {
    get deviceUid() {
      return session.look()?.deviceUid ?? null
    },
    login: (username, password) => signIn(session, platform, post, { username, password }),
    async logout() {
      const access = await session.access().catch(() => null)
      const answer = access === null ? null : await post('/logout', { access })
      const stored = session.store.read()
      if (stored) session.end(stored, 'logout')
      // A 401 means that the device is already signed out.
      return answer?.kind === 'ok' || (answer?.kind === 'refused' && answer.status === 401)
    },
    async fetch(input, init) {
      const request = new Request(input, init)
      const isOurs = [base.origin, ...origins].includes(new URL(request.url).origin)
      if (!isOurs) return platform.fetch(request)
      return fetchSignedIn(session, platform, request, init?.body instanceof ReadableStream)
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

async function fetchSignedIn(
  session: TokenSession,
  { fetch }: TokenPlatform,
  request: Request,
  isStream: boolean,
): Promise<Response> {
  const access = await session.access()
  // A clone would keep the whole stream in memory, so a request with a stream is not repeated.
  const spare = isStream ? null : request.clone()
  const response = await fetch(withToken(request, access))
  if (access === null || spare === null || !(await isAboutToken(response))) return response
  const next = await session.access(access).catch(() => null)
  return next === null ? response : fetch(withToken(spare, next))
}

type Post = (path: string, sending: Parameters<typeof postToken>[3]) => ReturnType<typeof postToken>

async function signIn(
  session: TokenSession,
  { clock, random }: TokenPlatform,
  post: Post,
  account: { readonly username: string; readonly password: string },
): Promise<{ readonly deviceUid: string }> {
  const credential = session.store.credential()
  const body = { ...account, ...(credential === null ? {} : { device_credential: credential }) }
  const asked = clock()
  const answer = await post('/token', { body })
  if (answer.kind !== 'ok') throw failure(answer, asked)
  const { access, refresh, device_uid: deviceUid, device_credential: next } = answer.body
  if (typeof access !== 'string' || typeof refresh !== 'string' || typeof deviceUid !== 'string') {
    const detail = 'The server sent an invalid response. Try again later.'
    throw new TokenClientError('unreachable', detail, { status: 200 })
  }
  if (typeof next === 'string') session.store.keepCredential(next)
  const login = `${deviceUid}.${asked}.${random()}`
  session.begin({ login, step: 0, refresh, deviceUid, storedAt: asked }, access)
  return { deviceUid }
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
    const detail = 'The server could not be reached. Check the connection, then try again.'
    return new TokenClientError('unreachable', detail, { status, cause: answer.cause })
  }
  const retryAt = answer.seconds === null ? null : now + answer.seconds * 1000
  const detail = 'The server does not accept further attempts now. Try again later.'
  return new TokenClientError(answer.code, detail, { status, retryAt })
}

/** Calls `look` when another tab changes the storage. */
function watchStorage({ storage }: TokenPlatform, look: () => unknown): () => void {
  const listen = (event: StorageEvent): void => {
    if (event.storageArea === storage) look()
  }
  globalThis.addEventListener?.('storage', listen)
  return () => globalThis.removeEventListener?.('storage', listen)
}
