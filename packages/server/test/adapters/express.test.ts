import { connect } from 'node:net'
import { jsonResponse } from '@quillgate/server/core'
import { fromExpress, mount, setHeaders } from '@quillgate/server/express'
import {
  createCsrf,
  createEndpoints,
  createNetwork,
  type FetchHandler,
  type RequestContext,
  readMultipart,
} from '@quillgate/server/http'
import {
  type AdapterServer,
  ELSEWHERE,
  frameworkAdapterSuite,
} from '@quillgate/server/testing/suites'
import express, { type Express } from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { listen } from '../http/support/listen.ts'
import { routesOf } from '../http/support/routes-of.ts'

describe('mount in Express', () => {
  frameworkAdapterSuite({
    features: { prefix: true, parsers: true, application: true },
    serve(handler, { prefix, parsers }) {
      const app = express()
      if (parsers) app.use(express.json(), express.urlencoded(), express.text())
      if (prefix === null) app.use(mount(handler))
      else app.use(prefix, mount(handler))
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
  ])('leaves no way around a guard in front: %s', async (target) => {
    const answer = await ask(await serveGuarded(), target)
    expect(answer).toMatch(/^HTTP\/1\.1 40[034] /)
    expect(answer).not.toContain('reached')
  })

  it('leaves no way around a guard in front by any ASCII character in the host of an absolute target', async () => {
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

  it('takes the exact bytes of a raw parser, or those that a parser kept', async () => {
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
      const { origin } = await serve((app) => app.use(parser, mount(handler)))
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
    const { origin } = await serve((app) => app.use(parser, mount(handler)))
    const response = await fetch(origin, {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    })
    expect(await response.json()).toMatchObject({ code: 'body_already_read' })
  })

  it('says what to do when an upload parser was in front', async () => {
    const handler = {
      handles: () => true,
      async fetch(request: Request) {
        for await (const _part of readMultipart(request, { maxFileSize: 1000 }));
        return jsonResponse('read')
      },
    }
    const drain: express.RequestHandler = (req, _res, next) => void req.resume().once('end', next)
    const { origin } = await serve((app) => app.use(drain, mount(handler)))
    const form = new FormData()
    form.append('file', new Blob(['x']), 'a.txt')
    const response = await fetch(origin, { method: 'POST', body: form })
    expect(await response.json()).toMatchObject({ status: 500, code: 'body_already_read' })
  })
})

describe('fromExpress', () => {
  it('has the whole path under a mounted router', async () => {
    const { origin } = await serve((app) =>
      app.use(
        '/prefix',
        (req, res) =>
          void res.json({
            url: fromExpress(req).request.url,
            native: fromExpress(req).native === req,
          }),
      ),
    )
    expect(await (await fetch(`${origin}/prefix/a?b`)).json()).toEqual({
      url: `${origin}/prefix/a?b`,
      native: true,
    })
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
    'hands the setting `trust proxy` to networks without trustedProxies: %j',
    async (setting, expected) => {
      const addresses = (context: RequestContext): unknown => [
        createNetwork().clientAddress(context),
        createNetwork({ trustedProxies: [] }).clientAddress(context),
      ]
      const { origin } = await serve((app) => {
        if (setting !== undefined) app.set('trust proxy', setting)
        app.get('/own', (req, res) => void res.json(addresses(fromExpress(req))))
        const fetch: FetchHandler['fetch'] = async (request, context) =>
          jsonResponse(addresses({ ...context, request }))
        app.use('/prefix', express.Router().use(mount({ fetch, handles: () => true })))
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

  it('hands it over in an application that is mounted in another one', async () => {
    const { origin } = await serve((app) => {
      app.set('trust proxy', 'loopback')
      const inner = express()
      inner.use((req, res) => void res.json(createNetwork().clientAddress(fromExpress(req))))
      app.use('/inner', inner)
    })
    const response = await fetch(`${origin}/inner`, { headers: { 'x-forwarded-for': '192.0.2.1' } })
    expect(await response.json()).toBe('192.0.2.1')
  })

  it('does not believe what proxies say: that is for createNetwork', async () => {
    const { origin } = await serve((app) => {
      app.set('trust proxy', true)
      app.use((req, res) => void res.json(fromExpress(req).address))
    })
    const response = await fetch(origin, { headers: { 'x-forwarded-for': '192.0.2.1' } })
    expect(await response.json()).toBe('127.0.0.1')
  })
})

describe('setHeaders', () => {
  it('adds every set-cookie to those of the application', async () => {
    const { origin } = await serve((app) =>
      app.use((_req, res) => {
        res.cookie('own', '1')
        const headers = new Headers({ 'x-test': 'yes' })
        headers.append('set-cookie', 'a=1')
        headers.append('set-cookie', 'b=2')
        setHeaders(res, headers)
        res.end()
      }),
    )
    const response = await fetch(origin)
    expect(response.headers.getSetCookie()).toEqual(['own=1; Path=/', 'a=1', 'b=2'])
    expect(response.headers.get('x-test')).toBe('yes')
  })

  it('carries CSRF protection through a real page and its form', async () => {
    const csrf = createCsrf({ secret: 'a secret of at least thirty-two bytes' })
    const { origin } = await serve((app) => {
      app.get('/', (req, res) => {
        const { token, headers } = csrf.issue(fromExpress(req))
        setHeaders(res, headers)
        res.send(token)
      })
      app.post('/', express.urlencoded(), (req, res) => {
        res.json(csrf.verify(fromExpress(req), req.body.csrf_token))
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

/** An application whose guard in front lets nobody in. */
function serveGuarded(): Promise<AdapterServer> {
  const handler = createEndpoints({
    paths: ['/guarded'],
    endpoints: routesOf([
      { path: '/guarded/:id', methods: { GET: () => jsonResponse('reached') } },
    ]),
  })
  return serve((app) => {
    app.use('/guarded', (_req, res) => void res.sendStatus(403))
    app.use(mount(handler))
  })
}

/** Sends a request target byte for byte, and reads the whole answer. */
async function ask({ origin }: AdapterServer, target: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  socket.write(`GET ${target} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`, 'latin1')
  return (await socket.toArray()).join('')
}
