import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import {
  Agent,
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jsonResponse } from '@quillgate/server/core'
import { mount as mountExpress } from '@quillgate/server/express'
import type { Rate, RequestContext } from '@quillgate/server/http'
import { mount } from '@quillgate/server/node'
import {
  type AdapterServer,
  type FetchHandler,
  frameworkAdapterSuite,
} from '@quillgate/server/testing/suites'
import express from 'express'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readMultipart } from '../../src/http/multipart/read-multipart.ts'
import { createNetwork } from '../../src/http/network/network.ts'
import { listen } from '../http/support/listen.ts'
import { LIMITS } from '../http/support/multipart.ts'
import { gateOf } from '../support/test-gate.ts'

describe('mount on node:http', () => {
  frameworkAdapterSuite({
    features: { prefix: false, parsers: false, application: false },
    serve: (handler) => listen(mount(gateOf(handler))),
  })

  it('logs details that clients do not see', async () => {
    const error = vi.fn()
    const failure = new Error('secret')
    const handler = handlerOf(() => Promise.reject(failure))
    const { origin } = await serve(mount(gateOf(handler, { logger: { error, warn: vi.fn() } })))
    expect((await fetch(origin)).status).toBe(500)
    expect(error.mock.calls).toEqual([[expect.any(String), failure]])
  })

  it.each([undefined, null, {}, 'editor', () => {}])(
    'rejects %j instead of an application object',
    (gate) => {
      const refusal = expect.objectContaining({
        code: 'configuration_error',
        message: expect.stringContaining('mount needs an application object'),
      })
      expect(() => mount(gate as never)).toThrow(refusal)
      expect(() => mountExpress(gate as never)).toThrow(refusal)
    },
  )

  it('starts the components when it is mounted, once', async () => {
    const ready = vi.fn(async () => {})
    const gate = gateOf(
      handlerOf(async () => jsonResponse('')),
      {},
      ready,
    )
    expect(ready.mock.calls).toEqual([])
    mount(gate)
    mountExpress(gate)
    await expect.poll(() => ready.mock.calls.length).toBe(1)
  })

  it.each(['waits', 'fails'])(
    'logs nothing if a client cancels a download whose source %s',
    async (then) => {
      const error = vi.fn()
      const gone = Promise.withResolvers<void>()
      let pulls = 0
      const body = () =>
        new ReadableStream<Uint8Array>(
          {
            async pull(controller) {
              if (pulls++ === 0) return controller.enqueue(new Uint8Array(10))
              await gone.promise
              if (then === 'fails') throw new Error('aborted')
            },
            cancel: () => gone.resolve(),
          },
          { highWaterMark: 0 },
        )
      const handler = handlerOf(async () => new Response(body()))
      const listener = mount(gateOf(handler, { logger: { error, warn: vi.fn() } }))
      const { origin } = await serve(listener)
      const client = request(origin).end()
      const [response] = await once(client, 'response')
      await once(response, 'data')
      response.destroy()
      await gone.promise
      await once(createServer().listen(0).close(), 'close') // Waits until the server has noticed the reset.
      expect(pulls).toBe(2)
      expect(error.mock.calls).toEqual([])
    },
  )

  it.each([
    ['an invalid host', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n'],
    ['a host with a user', 'GET / HTTP/1.1\r\nHost: user@a.test\r\n\r\n'],
    ['an invalid target', 'OPTIONS * HTTP/1.1\r\nHost: a.test\r\n\r\n'],
    ['a target without a path', 'GET javascript:alert(1) HTTP/1.1\r\nHost: a.test\r\n\r\n'],
    ['the method TRACE', 'TRACE / HTTP/1.1\r\nHost: a.test\r\n\r\n'],
  ])('answers 400 malformed_request for %s', async (_name, head) => {
    const handler = handlerOf(async () => jsonResponse('reached'))
    const answer = await raw(await serve(mount(gateOf(handler))), head)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).not.toContain('reached')
  })

  it.each([
    [
      'two slashes',
      'GET //evil.test/x HTTP/1.1\r\nHost: a.test\r\n\r\n',
      'http://a.test//evil.test/x',
    ],
    [
      'an absolute target',
      'GET http://evil.test/x?y HTTP/1.1\r\nHost: a.test\r\n\r\n',
      'http://a.test/x?y',
    ],
    [
      'an encoded name',
      'GET /a%20b/%61 HTTP/1.1\r\nHost: a.test\r\n\r\n',
      'http://a.test/a%20b/%61',
    ],
    ['no host', 'GET /x HTTP/1.0\r\n\r\n', 'http://localhost/x'],
  ])('uses the host of the Host header for %s', async (_name, head, url) => {
    const handler = handlerOf(async (request) => jsonResponse(request.url))
    expect(await raw(await serve(mount(gateOf(handler))), head)).toContain(JSON.stringify(url))
  })

  it.each([
    '/a/../b',
    '/./b',
    '/b/.',
    '/a/%2e%2e/b',
    '/a/.%2E/b',
    '/%2e/b',
    '/b#c',
    'http://evil.test/a/../b',
    'http://evil.test/%2e/b',
    'http://evil.test',
  ])('answers 404 to the target %s, whose path a URL parser would change', async (target) => {
    const handler = handlerOf(async () => jsonResponse('reached'))
    const answer = await raw(
      await serve(mount(gateOf(handler))),
      `GET ${target} HTTP/1.1\r\nHost: a.test\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 404 /)
    expect(answer).not.toContain('reached')
  })

  it('keeps the connection for the next request after a form', async () => {
    const handler = handlerOf(async (request) => {
      for await (const _part of readMultipart(request, LIMITS));
      return jsonResponse('read')
    })
    const { origin } = await serve(mount(gateOf(handler)))
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(300_000)]), 'a.bin')
    const encoded = new Response(form)
    const headers = { 'content-type': encoded.headers.get('content-type') ?? '' }
    const body = Buffer.from(await encoded.arrayBuffer())
    const sockets = new Set<unknown>()
    for (let round = 0; round < 3; round++) {
      const client = request(origin, { method: 'POST', agent, headers }).end(body)
      const [response] = await once(client, 'response')
      sockets.add(client.socket)
      expect((await response.setEncoding('utf8').toArray()).join('')).toBe('"read"')
    }
    agent.destroy()
    expect(sockets.size).toBe(1)
  })

  it.each([
    ['node:http', (handler: FetchHandler) => mount(gateOf(handler))],
    ['Express', (handler: FetchHandler) => express().use(mountExpress(gateOf(handler)))],
  ])(
    'handles no request of a client that has reset its connection, on %s',
    async (_name, listenerOf) => {
      const handled = vi.fn(async () => jsonResponse(''))
      const received = await resetRequest(listenerOf(handlerOf(handled)))
      expect(received.address).toBeUndefined()
      expect(handled).not.toHaveBeenCalled()
    },
  )

  it('answers over HTTP/2', async () => {
    const handler = handlerOf(async (request) => jsonResponse([request.url, await request.text()]))
    const listener = mount(gateOf(handler)) as unknown as Parameters<typeof createHttp2Server>[0] &
      (() => void)
    const server = createHttp2Server(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = connectHttp2(origin)
    const stream = client.request({ ':method': 'POST', ':path': '/a?b' }).end('text')
    expect((await stream.setEncoding('utf8').toArray()).join('')).toBe(
      JSON.stringify([`${origin}/a?b`, 'text']),
    )
    client.close()
    server.close()
  })
})

describe('a request of node:http', () => {
  it('has a context with its data, and its body stays readable for the framework', async () => {
    const { origin } = await serve(async (req, res) => {
      const { request, address, native } = contextOf(req, res)
      const { method, url } = request
      if (url.endsWith('call')) {
        res.end(await request.text())
        return
      }
      const text = (await req.setEncoding('utf8').toArray()).join('')
      res.end(
        JSON.stringify({
          method,
          url,
          address,
          same: native === req,
          cookie: request.headers.get('cookie'),
          text,
        }),
      )
    })
    const response = await fetch(`${origin}/a?b`, {
      method: 'POST',
      body: 'text',
      headers: { cookie: 'a=1' },
    })
    expect(await response.json()).toEqual({
      method: 'POST',
      url: `${origin}/a?b`,
      address: '127.0.0.1',
      same: true,
      cookie: 'a=1',
      text: 'text',
    })
    const read = await fetch(`${origin}/call`, { method: 'POST', body: 'text' })
    expect(await read.text()).toBe('text')
  })

  it('needs mount(gate) before the route', async () => {
    const { origin } = await serve((req, res) => {
      const find = () => other.parts.contexts.of(req, 'test')
      expect(find).toThrow(/did not pass through mount\(gate\)/)
      res.end('checked')
    })
    expect(await (await fetch(origin)).text()).toBe('checked')
  })

  it('has the address `unix` behind a Unix socket', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quillgate-'))
    const socketPath = join(folder, 'app.sock')
    const server = createServer(
      (req, res) => void res.end(String(contextOf(req, res).address)),
    ).listen(socketPath)
    await once(server, 'listening')
    const [response] = await once(request({ socketPath, path: '/' }).end(), 'response')
    expect((await response.setEncoding('utf8').toArray()).join('')).toBe('unix')
    server.close()
    await rm(folder, { recursive: true })
  })

  it('has no address after the client has disconnected, and is not treated as a Unix socket', async () => {
    const seen = Promise.withResolvers<unknown>()
    const server = await serve((req, res) => {
      req.on('error', () => {}).once('close', () => seen.resolve(contextOf(req, res).address))
      socket.resetAndDestroy()
    })
    const { hostname, port } = new URL(server.origin)
    const socket = connect(Number(port), hostname)
    socket.write('POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\n')
    expect(await seen.promise).toBeUndefined()
  })

  it('gets the limit of one address after the client has reset its connection', async () => {
    const { rate } = await resetRequest(() => {})
    expect(rate?.limit).toBe(5)
  })

  it('keeps both of two Authorization headers, so that neither is chosen silently', async () => {
    const server = await serve(
      (req, res) => void res.end(contextOf(req, res).request.headers.get('authorization')),
    )
    const head =
      'GET / HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n'
    expect(await raw(server, head)).toContain('Bearer a, Bearer b')
  })
})

const other = gateOf({ handles: () => false, fetch: async () => jsonResponse('') })
const passOn = mount(other)

function contextOf(req: IncomingMessage, res: ServerResponse): RequestContext {
  passOn(req, res, () => {})
  return other.parts.contexts.of(req, 'test')
}

const servers: AdapterServer[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function serve(listener: Parameters<typeof listen>[0]): Promise<AdapterServer> {
  const server = await listen(listener)
  servers.push(server)
  return server
}

function handlerOf(fetch: FetchHandler['fetch']): FetchHandler {
  return { fetch, handles: () => true }
}

/** Sends a request and then resets the connection, like a client that ignores the answer. */
async function resetRequest(
  listener: RequestListener,
): Promise<{ address: string | undefined; rate: Rate | null | undefined }> {
  const received = Promise.withResolvers<{
    address: string | undefined
    rate: Rate | null | undefined
  }>()
  const closed = Promise.withResolvers<void>()
  const server = await serve((req, res) => {
    req.on('error', () => {})
    req.socket.once('close', () => closed.resolve())
    listener(req, res)
    const context = contextOf(req, res)
    const { rate } = createNetwork().addressLimit(context, { limit: 5, seconds: 60 })
    received.resolve({ address: context.address, rate })
  })
  const { hostname, port } = new URL(server.origin)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nHost: a.test\r\n\r\n')
  socket.resetAndDestroy()
  await closed.promise
  return received.promise
}

async function raw({ origin }: AdapterServer, head: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  socket.write(head)
  let answer = ''
  for await (const text of socket) {
    answer += text
    if (/\r\n\r\n./.test(answer)) break
  }
  return answer
}
