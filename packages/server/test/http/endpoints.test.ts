import { jsonResponse, QuillgateError } from '@quillgate/server/core'
import { createEndpoints, type Endpoints } from '@quillgate/server/http'
import { describe, expect, it } from 'vitest'
import { openContext } from '../../src/http/context.ts'
import type { EndpointsOptions } from '../../src/http/endpoints.ts'
import { type Path, routesOf } from './support/routes-of.ts'

interface Given extends Omit<Partial<EndpointsOptions>, 'endpoints'> {
  readonly endpoints?: readonly Path[]
}

const open = ({ endpoints = ENDPOINTS, ...options }: Given = {}): Endpoints =>
  createEndpoints({ paths: ['/notes', '/files/'], endpoints: routesOf(endpoints), ...options })

const ENDPOINTS: readonly Path[] = [
  {
    path: '/notes/:id',
    methods: {
      GET: (_context, params) => jsonResponse(params),
      DELETE: () => new Response(null, { status: 204 }),
    },
  },
  {
    path: '/files/*',
    methods: { POST: ({ request }) => jsonResponse(new URL(request.url).pathname) },
  },
]

const send = (
  handler: Endpoints,
  method: string,
  path: string,
  headers: Record<string, string> = {},
) => handler.respond(openContext(new Request(`http://a.test${path}`, { method, headers })))

const codeOf = async (response: Response): Promise<unknown> => [
  response.status,
  ((await response.json()) as { code: string }).code,
]

describe('createEndpoints', () => {
  it('passes requests to the endpoint of their path and method, with the named parts of the path', async () => {
    expect(await (await send(open(), 'GET', '/notes/a%20b')).json()).toEqual({ id: 'a b' })
    expect(await (await send(open(), 'POST', '/files/x/y')).json()).toBe('/files/x/y')
    expect((await send(open(), 'DELETE', '/notes/1')).status).toBe(204)
  })

  it('adds nosniff to every answer', async () => {
    const redirect = (): Response => Response.redirect('http://b.test/')
    const fail = (): Response => {
      throw new Error('secret')
    }
    const endpoints = [{ path: '/notes', methods: { GET: redirect, POST: fail } }]
    const answers = await Promise.all([
      send(open(), 'GET', '/notes/1'),
      send(open(), 'DELETE', '/notes/1'),
      send(open(), 'PUT', '/notes/1'),
      send(open(), 'GET', '/elsewhere'),
      send(open({ endpoints }), 'GET', '/notes'),
      send(open({ endpoints }), 'POST', '/notes'),
      send(open({ cors: { origins: ['https://b.test'] } }), 'OPTIONS', '/notes/1'),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 204, 405, 404, 302, 500, 204])
    for (const { headers } of answers) expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('answers static endpoints while the start-up fails', async () => {
    const methods = { GET: () => jsonResponse('here') }
    const handler = open({
      endpoints: [
        { path: '/notes/static', methods, isStatic: true },
        { path: '/notes/other', methods },
      ],
      ready: () => Promise.reject(new QuillgateError('database_unavailable', 503, 'Try again.')),
    })
    expect(await (await send(handler, 'GET', '/notes/static')).json()).toBe('here')
    expect(await codeOf(await send(handler, 'GET', '/notes/other'))).toEqual([
      503,
      'database_unavailable',
    ])
  })

  it('passes the context of the adapter', async () => {
    const GET: Path['methods']['GET'] = ({ address, native }) => jsonResponse({ address, native })
    const handler = open({ endpoints: [{ path: '/notes', methods: { GET } }] })
    const connection = { address: '10.0.0.1', native: 1 }
    const response = await handler.respond(
      openContext(new Request('http://a.test/notes'), connection),
    )
    expect(await response.json()).toEqual({ address: '10.0.0.1', native: 1 })
  })

  it('answers HEAD like GET, without the body', async () => {
    const response = await send(open(), 'HEAD', '/notes/1')
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/json',
    ])
    expect(await response.text()).toBe('')
  })

  it.each([
    ['POST', '/notes/1', 'GET, HEAD, DELETE'],
    ['OPTIONS', '/notes/1', 'GET, HEAD, DELETE'],
    ['HEAD', '/files/x', 'POST'],
    ['constructor', '/files/x', 'POST'],
    ['__proto__', '/files/x', 'POST'],
    ['__proto__', '/notes/1', 'GET, HEAD, DELETE'],
  ])('answers 405 with allow to %s %s', async (method, path, allow) => {
    const response = await send(open(), method, path)
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
    const inherited = []
    for (const name in {}) inherited.push(name)
    expect(inherited).toEqual([]) // Object.prototype has no new properties.
  })

  it('answers 404 for an unknown path', async () => {
    for (const path of ['/notes', '/notes/1/', '/notes/1/2', '/other']) {
      expect(await codeOf(await send(open(), 'GET', path))).toEqual([404, 'not_found'])
    }
  })

  it('passes decoded named parts for all encodings', async () => {
    expect(await (await send(open(), 'GET', '/notes/%61%2520')).json()).toEqual({ id: 'a%20' })
  })

  it.each([
    '/%6eotes/1',
    '/n%6Ftes/1',
    '/notes/ne%77',
    '/notes%2fnew',
    '/notes/1/%65dit',
    '/%66iles/x',
  ])('answers 404 to %s, because decoding would change a fixed part', async (path) => {
    const reached = (): Response => new Response()
    const methods = { GET: reached, POST: reached }
    const endpoints = ['/notes/new', '/notes/:id/edit', '/notes/:id', '/files/*'].map((each) => ({
      path: each,
      methods,
    }))
    const handler = open({ endpoints })
    expect(await codeOf(await send(handler, 'GET', path))).toEqual([404, 'not_found'])
    expect(await codeOf(await send(handler, 'POST', path))).toEqual([404, 'not_found'])
  })

  it('waits for ready after it has checked the method', async () => {
    const handler = open({ ready: () => Promise.reject(new Error('no database')) })
    expect(await codeOf(await send(handler, 'GET', '/notes/1'))).toEqual([500, 'internal_error'])
    expect((await send(handler, 'PUT', '/notes/1')).status).toBe(405)
  })

  it.each(['thrown', new Error('hidden'), null])(
    'never rejects: %s becomes a 500 and is reported',
    async (error) => {
      const reported: unknown[] = []
      const GET = (): never => {
        throw error
      }
      const onUnexpected = (reason: unknown): never => {
        reported.push(reason)
        throw new Error('the log is full')
      }
      const handler = open({ endpoints: [{ path: '/notes', methods: { GET } }], onUnexpected })
      expect(await codeOf(await send(handler, 'GET', '/notes'))).toEqual([500, 'internal_error'])
      expect(reported[0]).toBe(error)
    },
  )

  it('recognizes its own paths', () => {
    const { handles } = open()
    for (const path of ['/notes', '/notes/', '/notes/x/y?z', '/files/', '/files/x']) {
      expect(handles(`http://a.test${path}`)).toBe(true)
      expect(handles(new URL(`http://a.test${path}`))).toBe(true)
      expect(handles(new Request(`http://a.test${path}`))).toBe(true)
      expect(handles(path)).toBe(true)
    }
    for (const path of ['/', '/notesx', '/files', '/x/notes']) expect(handles(path)).toBe(false)
    for (const path of [
      '/./notes',
      '/x/../notes',
      '/x/%2e%2E/notes',
      '/x\\..\\notes',
      '/notes#x',
      'notes',
    ]) {
      expect(handles(path), path).toBe(false)
    }
  })
})
