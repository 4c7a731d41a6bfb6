import { jsonResponse, QuillgateError } from '@quillgate/server/core'
import { type CorsOptions, createEndpoints } from '@quillgate/server/http'
import { describe, expect, it } from 'vitest'
import { openContext } from '../../src/http/context.ts'
import { routesOf } from './support/routes-of.ts'

const APP = 'https://app.example.com'

const send = (
  cors: CorsOptions | undefined,
  method: string,
  headers: Record<string, string>,
  path = '/notes',
) =>
  createEndpoints({
    paths: ['/notes'],
    endpoints: routesOf([
      {
        path: '/notes',
        methods: {
          GET: () => jsonResponse(1, { headers: { vary: 'accept' } }),
          PUT: () => {
            throw new QuillgateError('rate_limited', 429, 'Later.', {
              headers: { 'retry-after': '7' },
            })
          },
          DELETE: () => Response.redirect('https://example.com/'),
        },
      },
    ]),
    ...(cors ? { cors } : {}),
  }).respond(openContext(new Request(`https://example.com${path}`, { method, headers })))

const corsHeaders = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')))

describe('cors', () => {
  it('is off by default: no headers, and 405 for OPTIONS', async () => {
    const response = await send(undefined, 'OPTIONS', {
      origin: APP,
      'access-control-request-method': 'PUT',
    })
    expect([response.status, response.headers.get('vary'), corsHeaders(response)]).toEqual([
      405,
      null,
      {},
    ])
  })

  it('answers a preflight of a listed origin with 204 and the allowed methods and headers', async () => {
    const response = await send({ origins: [APP] }, 'OPTIONS', {
      origin: APP,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization',
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('vary')).toBe('origin')
    expect(response.headers.get('allow')).toBe('GET, HEAD, PUT, DELETE, OPTIONS')
    expect(corsHeaders(response)).toEqual({
      'access-control-allow-origin': APP,
      'access-control-allow-methods': 'GET, HEAD, PUT, DELETE, OPTIONS',
      'access-control-allow-headers': 'authorization, content-type, dpop, x-csrf-token',
      'access-control-expose-headers': 'retry-after, www-authenticate',
      'access-control-max-age': '600',
    })
  })

  it('lets a listed origin read answers, errors and redirects', async () => {
    const expected = {
      'access-control-allow-origin': APP,
      'access-control-expose-headers': 'retry-after, www-authenticate',
    }
    const headers = { origin: APP }
    const cors = { origins: ['https://other.example.com', APP] }
    const found = await send(cors, 'GET', headers)
    expect([found.status, found.headers.get('vary')]).toEqual([200, 'accept, origin'])
    expect(corsHeaders(found)).toEqual(expected)
    expect(corsHeaders(await send(cors, 'PUT', headers))).toEqual(expected)
    expect(corsHeaders(await send(cors, 'DELETE', headers))).toEqual(expected)
    expect(corsHeaders(await send(cors, 'POST', headers))).toEqual(expected)
    expect(corsHeaders(await send(cors, 'GET', headers, '/notes/x'))).toEqual(expected)
  })

  it.each([
    'https://evil.example',
    'http://app.example.com',
    `${APP}:8443`,
    `${APP}.evil.example`,
    'null',
  ])('adds no headers for the origin %s', async (origin) => {
    const preflight = await send({ origins: [APP] }, 'OPTIONS', {
      origin,
      'access-control-request-method': 'PUT',
    })
    expect([preflight.status, preflight.headers.get('vary'), corsHeaders(preflight)]).toEqual([
      204,
      'origin',
      {},
    ])
    const found = await send({ origins: [APP] }, 'GET', { origin })
    expect([found.status, found.headers.get('vary'), corsHeaders(found)]).toEqual([
      200,
      'accept, origin',
      {},
    ])
  })

  it('adds Vary: Origin even without an Origin, for caches', async () => {
    const response = await send({ origins: [APP] }, 'GET', {})
    expect([response.headers.get('vary'), corsHeaders(response)]).toEqual(['accept, origin', {}])
  })

  it('allows every origin with *, credentials with credentials: true, and uses maxAge', async () => {
    const all = await send({ origins: ['*'] }, 'GET', { origin: 'https://any.example' })
    expect([all.headers.get('vary'), all.headers.get('access-control-allow-origin')]).toEqual([
      'accept',
      '*',
    ])
    expect(all.headers.get('access-control-allow-credentials')).toBeNull()
    const withCookies = await send({ origins: [APP], credentials: true, maxAge: 0 }, 'OPTIONS', {
      origin: APP,
    })
    expect(withCookies.headers.get('access-control-allow-credentials')).toBe('true')
    expect(withCookies.headers.get('access-control-max-age')).toBe('0')
  })

  it('accepts a normalized origin', async () => {
    const response = await send({ origins: ['HTTPS://App.example.com:443'] }, 'GET', {
      origin: APP,
    })
    expect(response.headers.get('access-control-allow-origin')).toBe(APP)
  })

  it.each<[unknown, string]>([
    [null, 'cors must be an object'],
    [true, 'cors must be an object'],
    [{}, 'cors.origins is required'],
    [{ origins: [] }, 'cors.origins must be a list'],
    [{ origins: APP }, 'cors.origins must be a list'],
    [{ origins: [`${APP}/`, 'example.com'] }, 'must be an origin'],
    [{ origins: ['null'] }, 'must be an origin'],
    [{ origins: ['https://*.example.com'] }, 'must be an origin'],
    [{ origins: ['*', APP] }, 'cors.origins must be ["*"], or'],
    [{ origins: ['*'], credentials: true }, 'cors.credentials must be false'],
    [{ origins: [APP], credentials: 'yes' }, 'cors.credentials must be true or false'],
    [{ origins: [APP], maxAge: -1 }, 'cors.maxAge must be a whole number'],
    [{ origins: [APP], methods: ['GET'] }, 'cors.methods is not an option'],
  ])('rejects %j', (cors, message) => {
    const create = () => createEndpoints({ paths: [], endpoints: [], cors: cors as CorsOptions })
    expect(create).toThrow(expect.objectContaining({ code: 'configuration_error' }))
    expect(create).toThrow(message)
  })
})
