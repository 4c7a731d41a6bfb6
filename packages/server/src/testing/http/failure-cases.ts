import { once } from 'node:events'
import { request as connect } from 'node:http'
import { expect, it } from 'vitest'
import { jsonResponse } from '../../core/json.ts'
import type { Serve } from './framework-adapter.ts'

const SECRET = 'secret-of-the-server'

/** Defines the tests of handlers, response bodies and clients that fail. */
export function failureCases(serve: Serve): void {
  it('answers 500 internal_error without details if a handler fails', async () => {
    const url = await serve(async () => {
      throw new Error(SECRET)
    })
    await expectInternalError(await fetch(url))
  })

  it('answers 500 internal_error without details if a response fails before its first byte', async () => {
    const url = await serve(async () => {
      const failing = new ReadableStream({
        pull: (controller) => controller.error(new Error(SECRET)),
      })
      return new Response(failing, {
        headers: { 'content-type': 'image/png', 'content-length': '9' },
      })
    })
    await expectInternalError(await fetch(url))
  })

  it('closes the connection if a response fails after its first byte', async () => {
    let pulls = 0
    const pull = (controller: ReadableStreamDefaultController): void =>
      pulls++ === 0
        ? controller.enqueue(new TextEncoder().encode('begin'))
        : controller.error(new Error(SECRET))
    const url = await serve(
      async () => new Response(new ReadableStream({ pull }, { highWaterMark: 0 })),
    )
    let text = ''
    const reading = async (): Promise<void> => {
      const response = await fetch(url)
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? [])
        text += chunk
    }
    await expect(reading()).rejects.toThrow()
    expect(text).not.toContain(SECRET)
  })
  clientFailureCases(serve)
}

function clientFailureCases(serve: Serve): void {
  it('aborts the signal and the request body if the client disconnects', async () => {
    const noticed = Promise.withResolvers<{ aborted: boolean; error: unknown }>()
    const url = await serve(async (request) => {
      const aborted = new Promise((resolve) => request.signal.addEventListener('abort', resolve))
      const error = await request.text().then(
        () => null,
        (error: unknown) => error,
      )
      await aborted
      noticed.resolve({ aborted: request.signal.aborted, error })
      return jsonResponse(null)
    })
    const client = connect(url, { method: 'POST', headers: { 'content-length': 1000 } })
    client.on('error', () => {})
    client.write('begin')
    await once(client, 'socket')
    await new Promise<void>((resolve) => client.write('more', () => resolve()))
    client.destroy()
    expect(await noticed.promise).toEqual({ aborted: true, error: expect.any(Error) })
  })

  it('answers further requests after a failure', async () => {
    const url = await serve(async (request) => {
      if (request.method === 'POST') throw new Error(SECRET)
      return jsonResponse('still here')
    })
    await fetch(url, { method: 'POST', body: 'unread' })
    expect(await (await fetch(url)).json()).toBe('still here')
  })
}

async function expectInternalError(response: Response): Promise<void> {
  expect(response.status).toBe(500)
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  const text = await response.text()
  expect(JSON.parse(text)).toMatchObject({ code: 'internal_error' })
  expect(text).not.toContain(SECRET)
}
