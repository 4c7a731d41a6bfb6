import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { serverError } from '../../core/errors.ts'
import { jsonResponse } from '../../core/json.ts'
import { problemResponse } from '../../http/problem.ts'
import type { Serve } from './framework-adapter.ts'

// The chunks together are much larger than the buffers of two sockets.
const CHUNK = new Uint8Array(64 * 1024)
const CHUNKS = 1024

/** Defines the tests of streaming the bodies of requests and responses. */
export function streamingCases(serve: Serve): void {
  it('slows down a client that sends faster than the handler reads', async () => {
    let sent = 0
    let sentWhileIdle = 0
    const url = await serve(async (request) => {
      const reader = request.body?.getReader()
      let received = (await reader?.read())?.value?.length ?? 0
      sentWhileIdle = await settled(() => sent)
      for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read())
        received += chunk.value.length
      return jsonResponse(received)
    })
    const response = await send(url, async (client) => {
      for (; sent < CHUNKS; sent++) if (!client.write(CHUNK)) await once(client, 'drain')
    })
    expect(await textOf(response)).toBe(String(CHUNKS * CHUNK.length))
    expect(sentWhileIdle).toBeLessThan(CHUNKS)
  })

  it('slows down a response that the client reads slowly, and cancels it when the client disconnects', async () => {
    let pulled = 0
    const cancelled = Promise.withResolvers<void>()
    const body = new ReadableStream({
      pull(controller) {
        pulled++
        controller.enqueue(CHUNK)
      },
      cancel: () => cancelled.resolve(),
    })
    const url = await serve(async () => new Response(body))
    const client = request(url).end()
    const [response] = (await once(client, 'response')) as [IncomingMessage]
    expect(await settled(() => pulled)).toBeLessThan(CHUNKS)
    response.destroy()
    await cancelled.promise
  })

  it('delivers an early response to a client that first sends everything', async () => {
    const url = await serve(async () =>
      problemResponse(serverError('file_too_large', 'Too large.')),
    )
    expect(await sendAllThenRead(url)).toContain('"code":"file_too_large"')
  })

  it('delivers a response that the handler creates before it has read the whole body', async () => {
    const url = await serve(async (request) => {
      const reader = request.body?.getReader()
      await reader?.read()
      await reader?.cancel()
      return jsonResponse('enough')
    })
    expect(await sendAllThenRead(url)).toContain('"enough"')
  })
}

/**
 * Sends a large POST and reads the response only afterwards, like many clients. Uses a plain
 * socket, because the client of `node:http` would stall.
 */
async function sendAllThenRead(url: string): Promise<string> {
  const { host, hostname, port, pathname } = new URL(url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  socket.write(
    `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${CHUNKS * CHUNK.length}\r\n\r\n`,
  )
  for (let sent = 0; sent < CHUNKS; sent++) if (!socket.write(CHUNK)) await once(socket, 'drain')
  let answer = ''
  for await (const text of socket) {
    answer += text
    if (/\r\n\r\n./.test(answer)) break
  }
  return answer
}

async function send(
  url: string,
  write: (client: ClientRequest) => Promise<void>,
): Promise<IncomingMessage> {
  const client = request(url, { method: 'POST' })
  const answered = once(client, 'response') as Promise<[IncomingMessage]>
  await write(client)
  client.end()
  const [response] = await answered
  return response
}

async function textOf(response: IncomingMessage): Promise<string> {
  return (await response.setEncoding('utf8').toArray()).join('')
}

/**
 * Waits until a count no longer grows, and returns the count. Without backpressure, the count would
 * grow until the whole body has been sent.
 */
async function settled(count: () => number): Promise<number> {
  for (let before = -1; before < count(); ) {
    before = count()
    await sleep(100)
  }
  return count()
}
