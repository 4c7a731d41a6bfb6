import { createTestCsrf, type TestCsrf } from '../../../server/test/support/test-csrf.ts'
import type { TestDevices } from './create-devices.ts'
import { expectDocumented } from './documented.ts'
import { SECRET } from './house.ts'

export interface Sending {
  readonly address?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: string | Blob
}

export class BearerClient {
  access = ''
  refresh = ''
  uid = ''
  credential: string | undefined
  address: string
  readonly devices: TestDevices
  readonly userAgent: string

  constructor(devices: TestDevices, address = '203.0.113.10', userAgent = 'test-client/1.0') {
    this.devices = devices
    this.address = address
    this.userAgent = userAgent
  }

  send(method: string, path: string, sending: Sending = {}): Promise<Response> {
    const bearer = this.access ? { authorization: `Bearer ${this.access}` } : {}
    return send(this.devices, method, path, {
      address: this.address,
      ...sending,
      headers: { 'user-agent': this.userAgent, ...bearer, ...sending.headers },
    })
  }

  async login(username = 'ada', password = 'pw'): Promise<Response> {
    const response = await send(this.devices, 'POST', '/trusted-devices/token', {
      address: this.address,
      headers: { 'user-agent': this.userAgent },
      json: {
        username,
        password,
        ...(this.credential ? { device_credential: this.credential } : {}),
      },
    })
    if (response.status === 200) {
      const body = await jsonOf(response)
      this.access = String(body['access'])
      this.refresh = String(body['refresh'])
      this.uid = String(body['device_uid'])
      this.credential = String(body['device_credential'])
    }
    return response
  }

  async refreshTokens(refresh = this.refresh): Promise<Response> {
    const response = await this.send('POST', '/trusted-devices/token/refresh', {
      json: { refresh },
    })
    if (response.status === 200) {
      const body = await jsonOf(response)
      this.access = String(body['access'])
      this.refresh = String(body['refresh'])
    }
    return response
  }

  /** Returns an independent copy, which acts as a thief or a second tab. */
  copy(): BearerClient {
    return Object.assign(new BearerClient(this.devices, this.address, this.userAgent), this)
  }
}

/** A browser that keeps cookies and sends the header `Origin`. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly devices: TestDevices
  readonly origin: string
  readonly userAgent: string
  readonly csrf: TestCsrf
  address: string

  constructor(
    devices: TestDevices,
    { origin = 'http://localhost', address = '203.0.113.10', userAgent = FIREFOX } = {},
  ) {
    this.devices = devices
    this.origin = origin
    this.address = address
    this.userAgent = userAgent
    this.csrf = createTestCsrf({ secret: SECRET })
  }

  request(method: string, path: string, { headers = {}, json, body }: Sending = {}): Request {
    return new Request(new URL(path, this.origin), {
      method,
      headers: {
        'user-agent': this.userAgent,
        origin: this.origin,
        ...(this.cookies.size > 0 ? { cookie: this.cookieHeader() } : {}),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(body === undefined ? {} : { body }),
    })
  }

  /** Sends a request with cookies and, by default, a CSRF token. */
  async send(
    method: string,
    path: string,
    sending: Sending = {},
    user: { id: string } | null = { id: '1' },
  ) {
    const token = user ? { 'x-csrf-token': this.csrfToken(user) } : {}
    const request = this.request(method, path, {
      ...sending,
      headers: { ...token, ...sending.headers },
    })
    const response = await fetchDocumented(this.devices, request, sending.address ?? this.address)
    this.keep(response.headers)
    return response
  }

  async login(user = { id: '1' }) {
    const login = await this.devices.login(user, this.context('/login', 'POST'), {
      transport: 'cookie',
    })
    this.keep(login.headers)
    return login
  }

  async visit(path = '/') {
    const session = await this.devices.authenticate(this.context(path))
    if (session?.headers) this.keep(session.headers)
    return session
  }

  context(path: string, method = 'GET') {
    return { request: this.request(method, path), address: this.address }
  }

  csrfToken(user: { id: string } | null): string {
    const { token, headers } = this.csrf.issue(this.context('/'), user)
    this.keep(headers)
    return token
  }

  keep(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/;\s*max-age=0(;|$)/i.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }

  copy(): Browser {
    const copy = new Browser(this.devices, {
      origin: this.origin,
      address: this.address,
      userAgent: this.userAgent,
    })
    for (const [name, value] of this.cookies) copy.cookies.set(name, value)
    return copy
  }

  cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }
}

export const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'

export function send(
  devices: TestDevices,
  method: string,
  path: string,
  { address, headers = {}, json, body }: Sending = {},
): Promise<Response> {
  const request = new Request(new URL(path, 'http://localhost'), {
    method,
    headers: { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(body === undefined ? {} : { body }),
  })
  return fetchDocumented(devices, request, address)
}

async function fetchDocumented(
  devices: TestDevices,
  request: Request,
  address?: string,
): Promise<Response> {
  const response = await devices.fetch(request, address === undefined ? {} : { address })
  await expectDocumented(devices, request, response)
  return response
}

export async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  return (await response.json()) as Record<string, unknown>
}

export async function problemOf(response: Response): Promise<string> {
  const type = response.headers.get('content-type')
  const code = type === 'application/problem+json' ? (await jsonOf(response))['code'] : type
  return `${response.status} ${String(code)}`
}
