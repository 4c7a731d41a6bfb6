import { afterEach, describe, expect, it } from 'vitest'
import { jsonResponse } from '../../core/json.ts'
import { failureCases } from './failure-cases.ts'
import {
  type AdapterServer,
  ELSEWHERE,
  type FetchHandler,
  type FrameworkAdapter,
  handlerOf,
  type Serve,
} from './framework-adapter.ts'
import { parsedBodyCases } from './parsed-body-cases.ts'
import { streamingCases } from './streaming-cases.ts'

/**
 * Defines the tests that every framework adapter must pass. Requests arrive complete. Bodies are
 * streamed with backpressure in both directions. Error responses contain no details. If a client
 * disconnects, its request is aborted. The application answers all other paths.
 *
 * @example
 * describe('the adapter for Express', () =>
 *   frameworkAdapterSuite({
 *     features: { prefix: true, parsers: true, application: true },
 *     serve: (handler, { prefix, parsers }) => listen(app(handler, prefix, parsers)),
 *   }))
 */
export function frameworkAdapterSuite(adapter: FrameworkAdapter): void {
  const servers: AdapterServer[] = []
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()))
  })
  const serve: Serve = async (fetch, options = {}) => {
    const server = await adapter.serve(handlerOf(fetch), {
      prefix: null,
      parsers: false,
      ...options,
    })
    servers.push(server)
    return `${server.origin}/quillgate/x`
  }

  describe('requests', () => requestCases(serve))
  describe('answers', () => answerCases(serve))
  describe('paths', () => pathCases(serve, adapter))
  describe('streams', () => streamingCases(serve))
  describe('failures', () => failureCases(serve))
  if (adapter.features.parsers)
    describe('bodies that an earlier parser has read', () => parsedBodyCases(serve))
}

function requestCases(serve: Serve): void {
  it('passes method, URL, headers and the address of the socket', async () => {
    const url = await serve(async (request, context) =>
      jsonResponse({
        method: request.method,
        url: request.url,
        header: request.headers.get('x-test'),
        address: context?.address,
        native: typeof context?.native,
      }),
    )
    const response = await fetch(`${url}/a%20b?c=%C3%BC&c=2`, {
      method: 'DELETE',
      headers: { 'x-test': 'yes' },
    })
    expect(await response.json()).toEqual({
      method: 'DELETE',
      url: `${url}/a%20b?c=%C3%BC&c=2`,
      header: 'yes',
      address: expect.stringMatching(/127\.0\.0\.1$/),
      native: 'object',
    })
  })

  it('passes a JSON body', async () => {
    const url = await serve(async (request) => jsonResponse(await request.json()))
    const response = await fetch(url, {
      method: 'POST',
      body: '{"text":"grüße"}',
      headers: JSON_HEADERS,
    })
    expect(await response.json()).toEqual({ text: 'grüße' })
  })

  it('passes a POST without a body', async () => {
    const url = await serve(async (request) => jsonResponse(await request.text()))
    expect(await (await fetch(url, { method: 'POST' })).json()).toBe('')
  })

  it('passes a real web request and does not change the global classes', async () => {
    const before = [globalThis.Request, globalThis.Response]
    const url = await serve(async (request) => jsonResponse(await new Request(request).text()))
    expect(await (await fetch(url, { method: 'POST', body: 'a' })).json()).toBe('a')
    expect([globalThis.Request, globalThis.Response]).toEqual(before)
  })
}

function answerCases(serve: Serve): void {
  it('sends the status, headers, and every set-cookie separately', async () => {
    const headers = new Headers({ 'x-test': 'yes' })
    headers.append('set-cookie', 'a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT')
    headers.append('set-cookie', 'b=2')
    const url = await serve(async () => new Response(null, { status: 204, headers }))
    const response = await fetch(url)
    expect(response.status).toBe(204)
    expect(response.headers.get('x-test')).toBe('yes')
    expect(response.headers.getSetCookie()).toEqual([
      'a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT',
      'b=2',
    ])
  })

  it('answers HEAD with the headers of GET and cancels the body', async () => {
    const cancelled = Promise.withResolvers<void>()
    const body = (): ReadableStream =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(9)),
        cancel: () => cancelled.resolve(),
      })
    const url = await serve(
      async () => new Response(body(), { headers: { 'content-length': '999' } }),
    )
    const response = await fetch(url, { method: 'HEAD' })
    expect(response.headers.get('content-length')).toBe('999')
    await cancelled.promise
  })
}

function pathCases(serve: Serve, { features }: FrameworkAdapter): void {
  const answer: FetchHandler['fetch'] = async (request) =>
    new Response(new URL(request.url).pathname)

  it('passes other paths to the application', async () => {
    const url = await serve(answer)
    const response = await fetch(new URL('/other', url))
    if (features.application) expect(await response.text()).toBe(ELSEWHERE)
    else expect(await response.json()).toMatchObject({ status: 404, code: 'not_found' })
  })

  if (!features.prefix) return

  it('passes the whole path to a handler that is mounted under a prefix', async () => {
    const url = await serve(answer, { prefix: '/quillgate' })
    expect(await (await fetch(url)).text()).toBe('/quillgate/x')
  })

  it('passes other paths under the prefix to the application', async () => {
    const url = await serve(answer, { prefix: '/other' })
    expect(await (await fetch(new URL('/other/x', url))).text()).toBe(ELSEWHERE)
  })
}

const JSON_HEADERS = { 'content-type': 'application/json' }
