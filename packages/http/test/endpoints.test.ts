import { createEndpoints, type EndpointsOptions, type FetchHandler, jsonResponse } from '@quillgate/http'
import { describe, expect, it } from 'vitest'

const open = (options: Partial<EndpointsOptions> = {}): FetchHandler =>
  createEndpoints({
    paths: ['/notes', '/files/'],
    endpoints: [
      {
        path: '/notes/:id',
        methods: {
          GET: (_context, params) => jsonResponse(params),
          DELETE: () => new Response(null, { status: 204 }),
        },
      },
      { path: '/files/*', methods: { POST: ({ request }) => jsonResponse(new URL(request.url).pathname) } },
    ],
    ...options,
  })

const send = (handler: FetchHandler, method: string, path: string, headers: Record<string, string> = {}) =>
  handler.fetch(new Request(`http://a.test${path}`, { method, headers }))

const codeOf = async (response: Response): Promise<unknown> => [
  response.status,
  ((await response.json()) as { code: string }).code,
]

describe('createEndpoints', () => {
  it('hands requests to the endpoint of their path and method, with the named parts of the path', async () => {
    expect(await (await send(open(), 'GET', '/notes/a%20b')).json()).toEqual({ id: 'a b' })
    expect(await (await send(open(), 'POST', '/files/x/y')).json()).toBe('/files/x/y')
    expect((await send(open(), 'DELETE', '/notes/1')).status).toBe(204)
  })

  it('hands over the context that the adapter made', async () => {
    const GET: EndpointsOptions['endpoints'][number]['methods'][string] = ({ address, native }) =>
      jsonResponse({ address, native })
    const handler = open({ endpoints: [{ path: '/notes', methods: { GET } }] })
    const response = await handler.fetch(new Request('http://a.test/notes'), { address: '10.0.0.1', native: 1 })
    expect(await response.json()).toEqual({ address: '10.0.0.1', native: 1 })
  })

  it('answers HEAD as GET, without the body', async () => {
    const response = await send(open(), 'HEAD', '/notes/1')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(await response.text()).toBe('')
  })

  it.each([
    ['POST', '/notes/1', 'GET, HEAD, DELETE'],
    ['OPTIONS', '/notes/1', 'GET, HEAD, DELETE'],
    ['HEAD', '/files/x', 'POST'],
    ['constructor', '/files/x', 'POST'],
  ])('answers 405 with allow to %s %s', async (method, path, allow) => {
    const response = await send(open(), method, path)
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
  })

  it('answers 404 where nothing is', async () => {
    for (const path of ['/notes', '/notes/1/', '/notes/1/2', '/other']) {
      expect(await codeOf(await send(open(), 'GET', path))).toEqual([404, 'not_found'])
    }
  })

  it('waits for ready, after the method', async () => {
    const handler = open({ ready: () => Promise.reject(new Error('no database')) })
    expect(await codeOf(await send(handler, 'GET', '/notes/1'))).toEqual([500, 'internal_error'])
    expect((await send(handler, 'PUT', '/notes/1')).status).toBe(405)
  })

  it.each(['thrown', new Error('hidden'), null])('never rejects: %s becomes a 500, and is told', async (error) => {
    const heard: unknown[] = []
    const GET = (): never => {
      throw error
    }
    const onUnexpected = (reason: unknown): never => {
      heard.push(reason)
      throw new Error('the log is full')
    }
    const handler = open({ endpoints: [{ path: '/notes', methods: { GET } }], onUnexpected })
    expect(await codeOf(await send(handler, 'GET', '/notes'))).toEqual([500, 'internal_error'])
    expect(heard[0]).toBe(error)
  })

  it('knows which paths are its own', () => {
    const { handles } = open()
    for (const path of ['/notes', '/notes/', '/notes/x/y?z', '/files/', '/files/x']) {
      expect(handles(`http://a.test${path}`)).toBe(true)
      expect(handles(new URL(`http://a.test${path}`))).toBe(true)
      expect(handles(new Request(`http://a.test${path}`))).toBe(true)
      expect(handles(path)).toBe(true)
    }
    for (const path of ['/', '/notesx', '/files', '/x/notes']) expect(handles(path)).toBe(false)
  })
})
