import { expect, it } from 'vitest'
import { jsonResponse } from '../../core/json.ts'
import { readJson } from '../../http/body.ts'
import { problemResponse } from '../../http/problem.ts'
import type { Serve } from './framework-adapter.ts'

/** Defines the tests of adapters that run after body parsers. */
export function parsedBodyCases(serve: Serve): void {
  it('restores JSON', async () => {
    const url = await serve(
      async (request) => jsonResponse(await readJson(request, { maxBytes: 100 })),
      PARSERS,
    )
    const body = '{"text":"grüße","list":[1,null]}'
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect(await response.json()).toEqual({ text: 'grüße', list: [1, null] })
  })

  it('restores a simple form', async () => {
    const url = await serve(
      async (request) => jsonResponse([...(await request.formData())]),
      PARSERS,
    )
    const body = new URLSearchParams([
      ['a', 'ü & ='],
      ['b', '1'],
      ['b', '2'],
    ])
    const response = await fetch(url, { method: 'POST', body })
    expect(await response.json()).toEqual([...body])
  })
  otherBodyCases(serve)
}

function otherBodyCases(serve: Serve): void {
  it('answers 500 body_already_read if the handler reads any other body', async () => {
    const url = await serve(async (request) => jsonResponse(await request.text()), PARSERS)
    const response = await fetch(url, {
      method: 'POST',
      body: 'text',
      headers: { 'content-type': 'text/plain' },
    })
    expect(await response.json()).toMatchObject({
      status: 500,
      code: 'body_already_read',
      detail: expect.stringContaining('before the body parser'),
    })
  })

  it("sends the handler's response if the handler does not read the body", async () => {
    const url = await serve(async () => problemResponse(new Error()), PARSERS)
    const response = await fetch(url, {
      method: 'POST',
      body: 'text',
      headers: { 'content-type': 'text/plain' },
    })
    expect(await response.json()).toMatchObject({ code: 'internal_error' })
  })

  it('streams bodies that the parsers did not read', async () => {
    const url = await serve(
      async (request) => jsonResponse((await request.bytes()).length),
      PARSERS,
    )
    expect(await (await fetch(url, { method: 'POST', body: new Uint8Array(300_000) })).json()).toBe(
      300_000,
    )
  })
}

const PARSERS = { parsers: true }
