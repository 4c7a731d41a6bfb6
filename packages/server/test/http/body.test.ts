import { QuillgateError } from '@quillgate/server/core'
import { readJson } from '@quillgate/server/http'
import { describe, expect, it } from 'vitest'

const post = (
  body: NonNullable<ConstructorParameters<typeof Response>[0]> | null,
  type: string | null = 'application/json',
): Request =>
  new Request('http://a.test', {
    method: 'POST',
    body,
    headers: type ? { 'content-type': type } : {},
    duplex: 'half',
  })

const read = (request: Request, maxBytes = 1000): Promise<unknown> =>
  readJson(request, { maxBytes })

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
  ])('throws 415 for the type %j', async (type) => {
    await expect(read(post('{}', type))).rejects.toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
    })
  })

  it('throws 415 without a type', async () => {
    const body = new Blob(['{}']).stream()
    await expect(read(post(body, null))).rejects.toMatchObject({ status: 415 })
  })

  it.each([
    ['cut off', '{"a":'],
    ['empty', ''],
    ['missing', null],
    ['no JSON', 'undefined'],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
  ])('throws 400 if the body is %s', async (_name, body) => {
    await expect(read(post(body))).rejects.toMatchObject({ status: 400, code: 'malformed_json' })
  })

  it('throws 400 if the client disconnects', async () => {
    const body = new ReadableStream({
      pull: (controller) => controller.error(new Error('ECONNRESET')),
    })
    await expect(read(post(body))).rejects.toMatchObject({ status: 400, code: 'malformed_json' })
  })

  it('accepts a body of exactly the limit', async () => {
    expect(await read(post('"12345678"'), 10)).toBe('12345678')
  })

  it('throws 413 for one byte more, also if the length is not declared', async () => {
    const declared = new Request('http://a.test', {
      method: 'POST',
      body: '"12345678"',
      headers: { 'content-type': 'application/json', 'content-length': '10' },
    })
    await expect(read(declared, 9)).rejects.toMatchObject({ status: 413, code: 'body_too_large' })
    await expect(read(post(new Blob(['"12345678"']).stream()), 9)).rejects.toMatchObject({
      status: 413,
    })
  })

  it('throws the error of the endpoint for a larger body', async () => {
    const tooLarge = (): QuillgateError => new QuillgateError('text_too_large', 413, 'Shorten it.')
    const reading = readJson(post('"12345678"'), { maxBytes: 9, tooLarge })
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

  it('explains what to do if the body was already read', async () => {
    const request = post('{}')
    await request.text()
    await expect(read(request)).rejects.toMatchObject({ status: 500, code: 'body_already_read' })
  })

  it.each([
    ['arrays', '['.repeat(17)],
    ['objects', '{"a":'.repeat(17)],
    ['arrays in objects', '{"a":['.repeat(9)],
    ['arrays after a string with brackets and escapes', `["]]]]\\\\\\"]]", ${'['.repeat(16)}`],
  ])('throws 400 for more than 16 levels of %s, before the body ends', async (_name, start) => {
    await expect(read(endless(start))).rejects.toMatchObject({
      code: 'invalid_request',
      message: /16 levels/,
    })
  })

  it.each([
    ['arrays', '[],'],
    ['objects', '{},'],
    ['keys', '"a":1,'],
    ['short strings', '"",'],
    ['numbers', '1e9,'],
    ['escapes', '"\\u0061",'],
    ['nothing', ','],
  ])('throws 400 for more than 1,000 of %s, before the body ends', async (_name, value) => {
    const reading = read(endless(`[${value.repeat(1000)}`), 100_000)
    await expect(reading).rejects.toMatchObject({
      code: 'invalid_request',
      message: /more than 1000/,
    })
  })

  it('does not count characters in strings, for all chunk boundaries', async () => {
    const value = { texts: [`[{":,\\"${'[,'.repeat(2000)}`, '\\', '"', '{'.repeat(20)] }
    const bytes = Buffer.from(JSON.stringify(value))
    for (const size of [1, 2, 3, 1000]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        Uint8Array.from(bytes.subarray(index * size, (index + 1) * size)),
      )
      expect(await read(post(new Blob(chunks).stream()), 10_000)).toEqual(value)
      expect(await read(post(ReadableStream.from(chunks)), 10_000)).toEqual(value)
    }
  })

  it('reads 100 texts at 16 levels of nesting', async () => {
    const texts = Array.from({ length: 100 }, (_, index) => `${index}`.repeat(1000))
    expect(await read(post(JSON.stringify({ texts }, null, 4)), 1e6)).toEqual({ texts })
    const nested = '['.repeat(16) + ']'.repeat(16)
    expect(JSON.stringify(await read(post(nested)))).toBe(nested)
  })
})

function endless(start: string): Request {
  const first = new TextEncoder().encode(start)
  return post(new ReadableStream({ start: (controller) => controller.enqueue(first) }))
}
