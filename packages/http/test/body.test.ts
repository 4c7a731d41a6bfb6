import { readJson } from '@quillgate/http'
import { describe, expect, it } from 'vitest'

const post = (
  body: NonNullable<ConstructorParameters<typeof Response>[0]> | null,
  type: string | null = 'application/json',
): Request =>
  new Request('http://a.test', { method: 'POST', body, headers: type ? { 'content-type': type } : {}, duplex: 'half' })

const read = (request: Request, maxBytes = 1000): Promise<unknown> => readJson(request, { maxBytes })

describe('readJson', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/ld+json',
  ])('reads %s', async (type) => {
    expect(await read(post('{"a":["ü",1,null]}', type))).toEqual({ a: ['ü', 1, null] })
  })

  it.each([
    'text/plain',
    'application/jsonp',
    'text/json',
    'application/json; charset=utf-16',
    'application/x-www-form-urlencoded',
    '',
  ])('is 415 for the type %j', async (type) => {
    await expect(read(post('{}', type))).rejects.toMatchObject({ status: 415, code: 'unsupported_media_type' })
  })

  it('is 415 without a type', async () => {
    const body = new Blob(['{}']).stream()
    await expect(read(post(body, null))).rejects.toMatchObject({ status: 415 })
  })

  it.each([
    ['cut off', '{"a":'],
    ['empty', ''],
    ['missing', null],
    ['no JSON', 'undefined'],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
  ])('is 400 when the body is %s', async (_name, body) => {
    await expect(read(post(body))).rejects.toMatchObject({ status: 400, code: 'malformed_json' })
  })

  it('is 400 when the client goes away', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('ECONNRESET')) })
    await expect(read(post(body))).rejects.toMatchObject({ status: 400, code: 'malformed_json' })
  })

  it('takes a body of just the limit', async () => {
    expect(await read(post('"12345678"'), 10)).toBe('12345678')
  })

  it('is 413 one byte later, also when the length is not declared', async () => {
    const declared = new Request('http://a.test', {
      method: 'POST',
      body: '"12345678"',
      headers: { 'content-type': 'application/json', 'content-length': '10' },
    })
    await expect(read(declared, 9)).rejects.toMatchObject({ status: 413, code: 'body_too_large' })
    await expect(read(post(new Blob(['"12345678"']).stream()), 9)).rejects.toMatchObject({ status: 413 })
  })

  it('names the 413 as the endpoint does', async () => {
    const reading = readJson(post('"12345678"'), { maxBytes: 9, tooLargeCode: 'text_too_large' })
    await expect(reading).rejects.toMatchObject({ code: 'text_too_large' })
  })

  it('stops reading at the limit', async () => {
    let pulled = 0
    let cancelled = false
    const body = new ReadableStream({
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(1000))
      },
      cancel() {
        cancelled = true
      },
    })
    await expect(read(post(body), 5000)).rejects.toMatchObject({ status: 413 })
    expect(pulled).toBeLessThan(10)
    expect(cancelled).toBe(true)
  })

  it('says what to do when the body was already read', async () => {
    const request = post('{}')
    await request.text()
    await expect(read(request)).rejects.toMatchObject({ status: 500, code: 'body_already_read' })
  })

  it('reads a body that nests deeply without overflowing the stack', async () => {
    const depth = 200_000
    const value = await read(post('['.repeat(depth) + ']'.repeat(depth)), 1e6).catch((error: unknown) => error)
    expect(Array.isArray(value) || (value as { code: string }).code === 'malformed_json').toBe(true)
  })
})
