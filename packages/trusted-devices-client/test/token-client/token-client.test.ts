import {
  createTokenClient,
  type TokenChannel,
  type TokenClient,
  type TokenClientOptions,
} from '@quillgate/trusted-devices-client/token-client'
import { beforeEach, describe, expect, it } from 'vitest'

const API = 'https://api.example/trusted-devices'

type Answer = (request: Request) => Response | Promise<Response>

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
const problem = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  json(status, { code, detail: 'why' }, { 'content-type': 'application/problem+json', ...headers })
const jwt = (name: string): string =>
  `${name}.${btoa(JSON.stringify({ iat: 5_000, exp: 5_300 }))}.x`

describe('the token client', () => {
  let now: number
  let values: Map<string, string>
  let sent: { path: string; token: string | null; body: string }[]
  let answers: Record<string, Answer>
  let waited: number[]
  let signedOut: string[]
  let client: TokenClient
  let channels: Set<TokenChannel>

  const broadcast = (data: unknown, from?: TokenChannel): void => {
    for (const channel of channels) {
      if (channel !== from) channel.onmessage?.({ data: structuredClone(data) } as MessageEvent)
    }
  }
  const make = (options: Partial<TokenClientOptions> = {}): TokenClient => {
    const made = createTokenClient({
      baseUrl: API,
      storage: {
        getItem: (key) => values.get(key) ?? null,
        setItem: (key, value) => {
          values.set(key, value)
        },
        removeItem: (key) => {
          values.delete(key)
        },
      },
      openChannel: () => {
        const channel: TokenChannel = {
          onmessage: null,
          postMessage: (data) => broadcast(data, channel),
          close: () => channels.delete(channel),
        }
        channels.add(channel)
        return channel
      },
      clock: () => now,
      wait: async (milliseconds, signal) => {
        // Timeouts never fire in these tests.
        if (milliseconds >= 10_000)
          return new Promise<void>((end) => signal?.addEventListener('abort', () => end()))
        waited.push(milliseconds)
        now += milliseconds
      },
      random: () => 0.5,
      fetch: async (request) => {
        const { pathname } = new URL(request.url)
        const path = pathname.replace('/trusted-devices', '')
        const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? null
        sent.push({
          path,
          token,
          body: request.method === 'GET' ? '' : await request.clone().text(),
        })
        return (answers[path] ?? (() => json(200, {})))(request)
      },
      ...options,
    })
    made.onSignedOut((reason) => signedOut.push(reason))
    return made
  }
  const signIn = async (): Promise<void> => {
    await client.login('ada', 'pw')
    sent.length = 0
  }
  const refreshes = (): number => sent.filter(({ path }) => path === '/token/refresh').length
  const get = (): Promise<Response> => client.fetch(`${API}/posts`)

  beforeEach(() => {
    now = 1_700_000_000_000
    values = new Map()
    channels = new Set()
    sent = []
    waited = []
    signedOut = []
    let count = 0
    answers = {
      '/token': () =>
        json(200, { access: jwt('a0'), refresh: 'r0', device_uid: 'uid', device_credential: 'c0' }),
      '/token/refresh': () => json(200, { access: jwt(`a${++count}`), refresh: `r${count}` }),
      '/logout': () => new Response(null, { status: 204 }),
    }
    client = make()
  })

  it('keeps the device credential for the next login', async () => {
    await client.login('ada', 'pw')
    expect(await client.logout()).toBe(true)
    expect(client.deviceUid).toBeNull()
    await client.login('ada', 'pw')
    const logins = sent
      .filter(({ path }) => path === '/token')
      .map(({ body }) => JSON.parse(body).device_credential)
    expect(logins).toEqual([undefined, 'c0'])
  })

  it('refreshes before the token expires, once for parallel calls', async () => {
    await signIn()
    await get()
    expect(refreshes()).toBe(0)
    now += 275_000
    await Promise.all([get(), get(), get()])
    expect(refreshes()).toBe(1)
    expect(sent.filter(({ path }) => path === '/posts').at(-1)?.token).toBe(jwt('a1'))
  })

  it('repeats a request with its body after a 401 about the token, and after no other 401', async () => {
    await signIn()
    now += 60_000
    answers['/posts'] = ({ headers }) =>
      headers.get('authorization')?.includes('a0')
        ? problem(401, 'authentication_required')
        : json(200, {})
    const response = await client.fetch(`${API}/posts`, { method: 'POST', body: 'text' })
    expect(response.status).toBe(200)
    expect(sent.filter(({ path }) => path === '/posts').map(({ body }) => body)).toEqual([
      'text',
      'text',
    ])
    answers['/posts'] = () => problem(401, 'invalid_credentials')
    now += 60_000
    expect((await get()).status).toBe(401)
    expect(refreshes()).toBe(1)
  })

  it('does not refresh a new token when a server rejects it', async () => {
    await signIn()
    answers['/posts'] = () => problem(401, 'authentication_required')
    for (let tries = 0; tries < 5; tries++) expect((await get()).status).toBe(401)
    expect(refreshes()).toBe(0)
    expect(signedOut).toEqual([])
  })

  it('does not send the token to other origins', async () => {
    await signIn()
    await client.fetch('https://elsewhere.example/posts')
    expect(sent.at(-1)?.token).toBeNull()
    const both = make({ origins: ['https://elsewhere.example'] })
    now += 100_000
    await both.fetch('https://elsewhere.example/posts')
    expect(sent.at(-1)?.token).not.toBeNull()
  })

  it.each(['token_reused', 'device_not_recognized', 'token_expired'])(
    'signs out on %s',
    async (code) => {
      await signIn()
      now += 300_000
      answers['/token/refresh'] = () => problem(401, code)
      expect((await get()).status).toBe(200) // The request is sent without a token.
      expect(signedOut).toEqual([code])
      expect(client.deviceUid).toBeNull()
      expect(values.has('quillgate.device')).toBe(true)
    },
  )

  it.each([
    ['a failing network', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['an error of the server', () => problem(500, 'internal_error')],
    [
      'a 401 of another server',
      () => new Response('<h1>Log in to the Wi-Fi</h1>', { status: 401 }),
    ],
    ['a page instead of JSON', () => new Response('<h1>Welcome</h1>')],
    ['an answer without tokens', () => json(200, { access: 1 })],
  ] as [string, Answer][])('stays signed in on %s', async (_name, answer) => {
    await signIn()
    now += 300_000
    answers['/token/refresh'] = answer
    await expect(get()).rejects.toMatchObject({ name: 'TokenClientError', code: 'unreachable' })
    expect(signedOut).toEqual([])
    expect(client.deviceUid).toBe('uid')
  })

  it('retries a failing server once, then waits for growing pauses', async () => {
    await signIn()
    now += 300_000
    answers['/token/refresh'] = () => problem(502, 'bad_gateway')
    for (let tries = 0; tries < 50; tries++) await expect(get()).rejects.toThrow()
    expect(refreshes()).toBe(2)
    const pauses: number[] = []
    for (let round = 0; round < 4; round++) {
      const { retryAt } = (await get().catch((error: { retryAt: number }) => error)) as {
        retryAt: number
      }
      now = retryAt
      await get().catch(() => {})
      pauses.push(
        ((await get().catch((error: unknown) => error)) as { retryAt: number }).retryAt - now,
      )
    }
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b))
  })

  it.each([429, 503])('respects the Retry-After of a %i', async (status) => {
    await signIn()
    now += 300_000
    answers['/token/refresh'] = () => problem(status, 'rate_limited', { 'retry-after': '120' })
    await expect(get()).rejects.toMatchObject({ retryAt: now + 120_000, status })
    await expect(get()).rejects.toThrow()
    now += 119_000
    await expect(get()).rejects.toThrow()
    expect(refreshes()).toBe(1)
    now += 1_500
    answers['/token/refresh'] = () => json(200, { access: jwt('a1'), refresh: 'r1' })
    expect((await get()).status).toBe(200)
  })

  it('waits and retries a busy server, and keeps using a token that is still valid', async () => {
    await signIn()
    now += 300_000
    const [busy, good] = [
      problem(503, 'device_busy', { 'retry-after': '1' }),
      json(200, { access: jwt('a1'), refresh: 'r1' }),
    ]
    const queue = [busy, good]
    answers['/token/refresh'] = () => queue.shift() ?? problem(500, 'internal_error')
    expect((await get()).status).toBe(200)
    expect(waited).toContain(1125)
    now += 280_000
    // The token should be renewed, but it is valid for 20 s more. The server is down.
    expect((await get()).status).toBe(200)
    expect(signedOut).toEqual([])
  })

  it('does not use a token that it could not store', async () => {
    const full = make({
      storage: {
        getItem: (key) => values.get(key) ?? null,
        setItem: (key, value) => {
          if (values.has('full')) throw new DOMException('full', 'QuotaExceededError')
          values.set(key, value)
        },
        removeItem: (key) => {
          values.delete(key)
        },
      },
    })
    await full.login('ada', 'pw')
    values.set('full', 'yes')
    now += 300_000
    sent.length = 0
    await expect(full.fetch(`${API}/posts`)).rejects.toMatchObject({ code: 'storage_failed' })
    expect(sent.map(({ path }) => path)).toEqual(['/token/refresh'])
    values.delete('full')
    expect((await full.fetch(`${API}/posts`)).status).toBe(200)
  })

  it('signs out locally when the server cannot be reached, and returns false', async () => {
    await signIn()
    answers['/logout'] = () => Promise.reject(new TypeError('Failed to fetch'))
    expect(await client.logout()).toBe(false)
    expect(signedOut).toEqual(['logout'])
    expect(client.deviceUid).toBeNull()
  })

  it('reports why a login failed', async () => {
    answers['/token'] = () => problem(401, 'invalid_credentials')
    await expect(client.login('ada', 'no')).rejects.toMatchObject({
      code: 'invalid_credentials',
      status: 401,
    })
    answers['/token'] = () => problem(429, 'rate_limited', { 'retry-after': '30' })
    await expect(client.login('ada', 'no')).rejects.toMatchObject({
      code: 'rate_limited',
      retryAt: now + 30_000,
    })
    expect(signedOut).toEqual([])
  })

  it('ignores invalid values in the storage', async () => {
    for (const text of ['', '{', 'null', '[]', '{"login":1}', '"x"']) {
      values.set('quillgate.tokens', text)
      expect(make().deviceUid).toBeNull()
      expect(await make().accessToken()).toBeNull()
    }
  })

  it('drops a late answer when another tab has stored a newer token', async () => {
    await signIn()
    now += 300_000
    const late = Promise.withResolvers<Response>()
    answers['/token/refresh'] = () => late.promise
    const slow = get()
    await Promise.resolve()
    const stored = JSON.parse(values.get('quillgate.tokens') ?? '')
    const further = { ...stored, step: 7, refresh: 'r7' }
    const { login } = stored
    const access = { login, step: 7, token: jwt('a7'), since: now, until: now + 300_000 }
    await new Promise((resolve) => setTimeout(resolve, 20))
    values.set('quillgate.tokens', JSON.stringify(further))
    broadcast({ kind: 'access', access })
    late.resolve(json(200, { access: jwt('a1'), refresh: 'r1' }))
    expect((await slow).status).toBe(200)
    expect(sent.at(-1)?.token).toBe(jwt('a7'))
    expect(JSON.parse(values.get('quillgate.tokens') ?? '').refresh).toBe('r7')
  })
})
