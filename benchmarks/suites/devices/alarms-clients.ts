import type { TrustedDevices } from '@quillgate/trusted-devices'

/** The totals of all clients of a simulated user. */
export interface Tally {
  logins: number
  /** The number of requests and refreshes. Does not include logins. */
  requests: number
  /** The number of sessions in use that ended without a sign-out. */
  signOuts: number
}

/** The objects that the clients of one user share. */
export interface ClientParts {
  readonly devices: TrustedDevices
  /** Milliseconds since the epoch, in simulated time. */
  readonly clock: () => number
  readonly tally: Tally
  readonly userId: string
  /** If false, the server does not recognize devices, as if device credentials did not exist. */
  readonly keepsCredential: boolean
}

const SESSION = /quillgate_session/
const SESSION_LIFE = 30 * 86_400_000

export class BrowserClient {
  version = 140
  readonly #parts: ClientParts
  readonly #platform: string
  readonly #cookies: Map<string, string>
  #usedAt = Number.NEGATIVE_INFINITY

  /**
   * @param platform the platform in the user agent, for example `Windows NT 10.0; Win64; x64`
   * @param shared the cookies of a shared computer
   */
  constructor(parts: ClientParts, platform: string, shared = new Map<string, string>()) {
    this.#parts = parts
    this.#platform = platform
    this.#cookies = shared
  }

  /** Opens a page. Signs in if the session has ended. */
  async visit(address: string): Promise<void> {
    const { devices, clock, tally, userId } = this.#parts
    const isExpected = this.#hasSession() && clock() - this.#usedAt < SESSION_LIFE
    tally.requests++
    const request = this.#request(address)
    const session = await devices.authenticate(request)
    this.#keep(request)
    if (session?.user.id === userId) this.#usedAt = clock()
    else {
      if (isExpected) tally.signOuts++
      await this.signIn(address)
    }
  }

  async signIn(address: string): Promise<void> {
    const { devices, clock, tally, userId, keepsCredential } = this.#parts
    if (!keepsCredential) this.#cookies.clear()
    tally.logins++
    const request = this.#request(address)
    await devices.login({ id: userId }, request, { transport: 'cookie' })
    this.#keep(request)
    this.#usedAt = clock()
  }

  async signOut(address: string): Promise<void> {
    const request = this.#request(address)
    await this.#parts.devices.logout(request)
    this.#keep(request)
    this.#usedAt = Number.NEGATIVE_INFINITY
  }

  /** Simulates a user who closes a private window or clears cookies. */
  clearCookies(): void {
    this.#cookies.clear()
    this.#usedAt = Number.NEGATIVE_INFINITY
  }

  #hasSession(): boolean {
    return [...this.#cookies.keys()].some((name) => SESSION.test(name))
  }

  #request(address: string): Request {
    const userAgent = `Mozilla/5.0 (${this.#platform}; rv:${this.version}.0) Gecko/20100101 Firefox/${this.version}.0`
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { 'user-agent': userAgent, ...(cookie === '' ? {} : { cookie }) }
    return requestFrom(this.#parts.devices, address, headers)
  }

  /** Stores the cookies that the calls with this request have set. */
  #keep(request: Request): void {
    const { headers } = this.#parts.devices.gate.respond(request, new Response())
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/;\s*max-age=0(;|$)/i.test(line)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
  }
}

/** An application with bearer tokens. Responses to it can get lost. */
export class AppClient {
  #refresh = ''
  #access = ''
  #credential: string | undefined
  #usedAt = Number.NEGATIVE_INFINITY
  readonly #parts: ClientParts
  readonly #userAgent: string

  constructor(parts: ClientParts, userAgent: string) {
    this.#parts = parts
    this.#userAgent = userAgent
  }

  /**
   * Refreshes the tokens and sends a request. Signs in if there is no valid token. If `isLost` is
   * true, the response to the refresh never arrives.
   */
  async use(address: string, isLost = false): Promise<void> {
    const { devices, clock, tally } = this.#parts
    if (this.#refresh === '') return this.signIn(address)
    const isExpected = clock() - this.#usedAt < SESSION_LIFE
    tally.requests++
    const response = await this.#post('/trusted-devices/token/refresh', address, {
      refresh: this.#refresh,
    })
    if (response.status !== 200) {
      if (isExpected) tally.signOuts++
      return this.signIn(address)
    }
    const { access, refresh } = (await response.json()) as { access: string; refresh: string }
    this.#usedAt = clock()
    if (isLost) return
    this.#access = access
    this.#refresh = refresh
    const headers = { authorization: `Bearer ${this.#access}`, 'user-agent': this.#userAgent }
    tally.requests++
    const request = requestFrom(devices, address, headers)
    if ((await devices.authenticate(request)) === null) tally.signOuts++
  }

  async signIn(address: string): Promise<void> {
    const { devices, clock, tally, userId, keepsCredential } = this.#parts
    tally.logins++
    const request = requestFrom(devices, address, { 'user-agent': this.#userAgent })
    const deviceCredential = keepsCredential ? this.#credential : undefined
    const { tokens } = await devices.login({ id: userId }, request, {
      transport: 'bearer',
      ...(deviceCredential === undefined ? {} : { deviceCredential }),
    })
    this.#refresh = tokens?.refresh ?? ''
    this.#access = tokens?.access ?? ''
    this.#credential = tokens?.deviceCredential
    this.#usedAt = clock()
  }

  async signOut(address: string): Promise<void> {
    const { devices } = this.#parts
    const headers = { authorization: `Bearer ${this.#access}` }
    await devices.logout(requestFrom(devices, address, headers))
    this.#refresh = ''
  }

  #post(path: string, address: string, json: object): Promise<Response> {
    const headers = { 'content-type': 'application/json', 'user-agent': this.#userAgent }
    const request = new Request(new URL(path, 'http://localhost'), {
      method: 'POST',
      headers,
      body: JSON.stringify(json),
    })
    return this.#parts.devices.gate.fetch(request, { address })
  }
}

function requestFrom(
  { gate }: TrustedDevices,
  address: string,
  headers: Readonly<Record<string, string>>,
): Request {
  const request = new Request('http://localhost/', { headers })
  gate.parts.contexts.open(request, { address })
  return request
}
