import { connect } from 'node:net'
import { jsonResponse } from '@quillgate/server/core'
import { mount } from '@quillgate/server/express'
import { createEndpoints, type RequestContext } from '@quillgate/server/http'
import {
  type AdapterServer,
  ELSEWHERE,
  type FetchHandler,
  frameworkAdapterSuite,
} from '@quillgate/server/testing/suites'
import express, { type Express, type Request as ExpressRequest } from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { type IncomingRequest, openContext } from '../../src/http/context.ts'
import { readMultipart } from '../../src/http/multipart/read-multipart.ts'
import { createNetwork } from '../../src/http/network/network.ts'
import { listen } from '../http/support/listen.ts'
import { LIMITS } from '../http/support/multipart.ts'
import { routesOf } from '../http/support/routes-of.ts'
import { gateOf } from '../support/test-gate.ts'

const cookie = (name: string, value: string) => ({ name, value, secure: false })
const line = (name: string, value: string) => `${name}=${value}; Path=/; HttpOnly; SameSite=Lax`

describe('mount in Express', () => {
  frameworkAdapterSuite({
    features: { prefix: true, parsers: true, application: true },
    serve(handler, { prefix, parsers }) {
      const app = express()
      if (parsers) app.use(express.json(), express.urlencoded(), express.text())
      if (prefix === null) app.use(mount(gateOf(handler)))
      else app.use(prefix, mount(gateOf(handler)))
      app.use((_req, res) => void res.send(ELSEWHERE))
      return listen(app)
    },
  })

  it.each([
    '/guarded/x',
    '/GUARDED/x',
    '/./guarded/x',
    '/y/../guarded/x',
    '/y/%2e%2e/guarded/x',
    '/%2E/guarded/x',
    '/y\\..\\guarded\\x',
    '/%67uarded/x',
    '//guarded/x',
    'http://evil.test/guarded/x',
    'http://evil.test/y/../guarded/x',
  ])('does not let a request bypass an earlier guard: %s', async (target) => {
    const answer = await ask(await serveGuarded(), target)
    expect(answer).toMatch(/^HTTP\/1\.1 40[034] /)
    expect(answer).not.toContain('reached')
  })

  it('does not let a request bypass an earlier guard with any ASCII character in the host of an absolute target', async () => {
    const server = await serveGuarded()
    const reached: string[] = []
    for (let code = 0; code < 128; code++) {
      const char = String.fromCharCode(code)
      const hosts = [
        char,
        `${char}a`,
        `a${char}`,
        `a${char}b`,
        `a${char}80`,
        `a:8${char}`,
        `a${char}@b`,
        `[::1${char}]`,
      ]
      const targets = hosts.map((host) => `http://${host}/guarded/x`)
      const answers = await Promise.all(targets.map((target) => ask(server, target)))
      reached.push(...targets.filter((_target, index) => answers[index]?.includes('reached')))
    }
    expect(reached).toEqual([])
  })

  it('uses the exact bytes of a raw parser, or the bytes that a parser kept', async () => {
    const handler = {
      handles: () => true,
      fetch: async (request: Request) => jsonResponse(await request.text()),
    }
    const body = '{ "a" : 1 }'
    const headers = { 'content-type': 'application/json' }
    const keep = express.json({
      verify: (req, _res, bytes) => void Object.assign(req, { rawBody: bytes }),
    })
    for (const parser of [express.raw({ type: '*/*' }), keep]) {
      const { origin } = await serve((app) => app.use(parser, mount(gateOf(handler))))
      expect(await (await fetch(origin, { method: 'POST', body, headers })).json()).toBe(body)
    }
  })

  it.each([
    [
      'nested forms',
      express.urlencoded({ extended: true }),
      'application/x-www-form-urlencoded',
      'a[b]=1',
    ],
    ['JSON that is read as text', express.text({ type: '*/*' }), 'application/json', '{}'],
  ])('does not guess the body of %s', async (_name, parser, type, body) => {
    const handler = {
      handles: () => true,
      fetch: async (request: Request) => jsonResponse(await request.text()),
    }
    const { origin } = await serve((app) => app.use(parser, mount(gateOf(handler))))
    const response = await fetch(origin, {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    })
    expect(await response.json()).toMatchObject({ code: 'body_already_read' })
  })

  it('explains what to do if an upload parser ran first', async () => {
    const handler = {
      handles: () => true,
      async fetch(request: Request) {
        for await (const _part of readMultipart(request, { ...LIMITS, maxFileSize: 1000 }));
        return jsonResponse('read')
      },
    }
    const drain: express.RequestHandler = (req, _res, next) => void req.resume().once('end', next)
    const { origin } = await serve((app) => app.use(drain, mount(gateOf(handler))))
    const form = new FormData()
    form.append('file', new Blob(['x']), 'a.txt')
    const response = await fetch(origin, { method: 'POST', body: form })
    expect(await response.json()).toMatchObject({ status: 500, code: 'body_already_read' })
  })
})

describe('a request of Express', () => {
  const serveContexts = (
    path: string,
    answer: (context: RequestContext, req: ExpressRequest) => unknown,
    build: (app: Express) => void = () => {},
  ): Promise<AdapterServer> =>
    serve((app) => {
      build(app)
      const gate = gateOf({ handles: () => false, fetch: async () => jsonResponse('') })
      app.use(mount(gate))
      app.use(path, (req, res) => void res.json(answer(gate.parts.contexts.of(req, 'test'), req)))
    })

  it('contains the whole path in a mounted router', async () => {
    const { origin } = await serveContexts('/prefix', ({ request, native }, req) => ({
      url: request.url,
      native: native === req,
    }))
    expect(await (await fetch(`${origin}/prefix/a?b`)).json()).toEqual({
      url: `${origin}/prefix/a?b`,
      native: true,
    })
  })

  it('is accepted before mount(gate), too', async () => {
    const gate = gateOf({ handles: () => false, fetch: async () => jsonResponse('') })
    mount(gate)
    const { origin } = await serve((app) => {
      app.set('trust proxy', 'loopback')
      app.use((req, res) => {
        const context = gate.parts.contexts.of(req, 'test')
        context.cookies.set(cookie('a', '1'))
        res.json(createNetwork().clientAddress(context))
      })
    })
    const response = await fetch(origin, { headers: { 'x-forwarded-for': '192.0.2.1' } })
    expect(await response.json()).toBe('192.0.2.1')
    expect(response.headers.getSetCookie()).toEqual([line('a', '1')])
  })

  it.each<[unknown, string]>([
    [true, '198.51.100.1'],
    [1, '192.0.2.1'],
    [2, '198.51.100.1'],
    ['loopback', '192.0.2.1'],
    ['10.0.0.1, 127.0.0.0/8', '192.0.2.1'],
    [['127.0.0.1', '192.0.2.1'], '198.51.100.1'],
    [(address: string, hop: number) => address === '127.0.0.1' && hop === 0, '192.0.2.1'],
    ['10.0.0.1', '127.0.0.1'],
    [() => false, '127.0.0.1'],
    [() => 'yes', '127.0.0.1'],
    [0, '127.0.0.1'],
    [false, '127.0.0.1'],
    [undefined, '127.0.0.1'],
  ])(
    'uses the setting `trust proxy` if trustedProxies is not given: %j',
    async (setting, expected) => {
      const addresses = (context: IncomingRequest): unknown => [
        createNetwork().clientAddress(context),
        createNetwork({ trustedProxies: [] }).clientAddress(context),
      ]
      const { origin } = await serveContexts('/own', addresses, (app) => {
        if (setting !== undefined) app.set('trust proxy', setting)
        const fetch: FetchHandler['fetch'] = async (request, connection) =>
          jsonResponse(addresses({ ...connection, request }))
        app.use('/prefix', express.Router().use(mount(gateOf({ fetch, handles: () => true }))))
      })
      const headers = { 'x-forwarded-for': '198.51.100.1, 192.0.2.1' }
      for (const path of ['/own', '/prefix/x']) {
        expect(await (await fetch(origin + path, { headers })).json()).toEqual([
          expected,
          '127.0.0.1',
        ])
      }
    },
  )

  it('keeps the address of the socket if proxies send another one', async () => {
    const { origin } = await serveContexts(
      '/',
      ({ address }) => address,
      (app) => app.set('trust proxy', true),
    )
    const response = await fetch(origin, { headers: { 'x-forwarded-for': '192.0.2.1' } })
    expect(await response.json()).toBe('127.0.0.1')
  })
})

describe('cookies of calls in Express', () => {
  const gate = gateOf({ handles: () => false, fetch: async () => jsonResponse('') })
  const cookiesOf = (req: ExpressRequest) => gate.parts.contexts.of(req, 'test').cookies

  it('are added to those of the application', async () => {
    const { origin } = await serve((app) =>
      app.use(mount(gate)).use((req, res) => {
        res.cookie('own', '1')
        cookiesOf(req).set(cookie('a', '1'))
        cookiesOf(req).set(cookie('b', '2'))
        cookiesOf(req).set(cookie('a', '3'))
        res.end()
      }),
    )
    const response = await fetch(origin)
    expect(response.headers.getSetCookie()).toEqual([
      'own=1; Path=/',
      line('b', '2'),
      line('a', '3'),
    ])
  })

  it('that only renew a session are left out of an answer that shared caches may store', async () => {
    const { origin } = await serve((app) =>
      app.use(mount(gate)).use((req, res) => {
        cookiesOf(req).set({ ...cookie('renewal', '1'), isRenewal: true })
        cookiesOf(req).set(cookie('login', '1'))
        res.set('cache-control', String(req.query['cache'])).end()
      }),
    )
    const send = async (cache: string): Promise<string[]> =>
      (await fetch(`${origin}/?cache=${cache}`)).headers.getSetCookie()
    for (const cache of ['public', 'max-age=60', 's-maxage=1, max-age=0', 'PUBLIC, max-age=0'])
      expect(await send(cache)).toEqual([line('login', '1')])
    for (const cache of [
      'public, no-cache',
      'public, private="x-foo"',
      'max-age=9, no-cache="x-foo"',
    ])
      expect(await send(cache)).toEqual([line('login', '1')])
    for (const cache of ['private, max-age=60', 'no-store, public', 'no-cache', 'max-age=0'])
      expect(await send(cache)).toEqual([line('renewal', '1'), line('login', '1')])
  })

  it('cannot be set after the headers were sent', async () => {
    const { origin } = await serve((app) =>
      app.use(mount(gate)).use((req, res) => {
        res.write('begun')
        const { cookies } = gate.parts.contexts.of(req, 'test')
        expect(cookies.canSet()).toBe(false)
        expect(() => cookies.set(cookie('a', '1'))).toThrow(
          /before the headers of the response are sent/,
        )
        res.end()
      }),
    )
    expect(await (await fetch(origin)).text()).toBe('begun')
  })

  it('carry CSRF protection through a real page and its form', async () => {
    const { origin } = await serve((app) => {
      app.use(mount(gate))
      app.get('/', async (req, res) => void res.send(await gate.csrfToken(req)))
      app.post('/', express.urlencoded(), async (req, res) => {
        res.json(await gate.verifyCsrf(req, req.body.csrf_token))
      })
    })
    const page = await fetch(origin)
    const body = new URLSearchParams({ csrf_token: await page.text() })
    const cookie = page.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const post = async (headers: Record<string, string>): Promise<unknown> =>
      (await fetch(origin, { method: 'POST', body, headers })).json()
    expect(await post({ cookie, origin })).toBe(true)
    expect(await post({ cookie, origin: 'http://evil.test' })).toBe(false)
    expect(await post({ origin })).toBe(false)
  })
})

const servers: AdapterServer[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function serve(build: (app: Express) => void): Promise<AdapterServer> {
  const app = express()
  build(app)
  const server = await listen(app)
  servers.push(server)
  return server
}

function serveGuarded(): Promise<AdapterServer> {
  const handler = createEndpoints({
    paths: ['/guarded'],
    endpoints: routesOf([
      { path: '/guarded/:id', methods: { GET: () => jsonResponse('reached') } },
    ]),
  })
  return serve((app) => {
    app.use('/guarded', (_req, res) => void res.sendStatus(403))
    app.use(
      mount(
        gateOf({
          handles: handler.handles,
          fetch: (request) => handler.respond(openContext(request)),
        }),
      ),
    )
  })
}

/** Uses a socket, because `fetch` would normalize the target. */
async function ask({ origin }: AdapterServer, target: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  socket.write(`GET ${target} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`, 'latin1')
  return (await socket.toArray()).join('')
}
