import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readMultipart } from '../../src/http/multipart/read-multipart.ts'
import {
  BOUNDARY,
  encode,
  field,
  file,
  inChunks,
  LIMITS,
  readAll,
  requestOf,
} from './support/multipart.ts'

describe('readMultipart', () => {
  it('yields fields and files in the order of the form', async () => {
    const body = encode([
      field('csrf_token', 'abc'),
      file('file', 'a.png', 'bytes'),
      field('title', 'grüße'),
    ])
    expect(await readAll(requestOf([body]))).toEqual([
      ['csrf_token', 'abc'],
      ['file', 'a.png', 'image/png', 'bytes'],
      ['title', 'grüße'],
    ])
  })

  it('reads what browsers and fetch send', async () => {
    const form = new FormData()
    form.append('csrf_token', 'abc')
    form.append('file', new Blob(['bytes'], { type: 'text/plain;charset=utf-8' }), 'grüße 😀.txt')
    const request = new Request('http://a.test', { method: 'POST', body: form })
    expect(await readAll(request)).toEqual([
      ['csrf_token', 'abc'],
      ['file', 'grüße 😀.txt', 'text/plain', 'bytes'],
    ])
  })

  it('decodes filename*, and returns an empty name if there is none', async () => {
    const body = encode([
      {
        headers: [
          `Content-Disposition: form-data; name="file"; filename*=UTF-8''gr%C3%BC%C3%9Fe.txt`,
        ],
        content: 'a',
      },
      {
        headers: [
          'Content-Disposition: form-data; name="file"',
          'Content-Type: application/octet-stream',
        ],
        content: 'b',
      },
      file('file', '', '', 'application/octet-stream'),
    ])
    expect(await readAll(requestOf([body]))).toEqual([
      ['file', 'grüße.txt', 'text/plain', 'a'],
      ['file', '', 'application/octet-stream', 'b'],
      ['file', '', 'application/octet-stream', ''],
    ])
  })

  it('reads a form without parts, and one with a preamble and an epilogue', async () => {
    const body = encode([field('a', '1')], `--${BOUNDARY}--\r\nepilogue`)
    const chunks = [Buffer.from('preamble\r\n'), body]
    expect(await readAll(requestOf(chunks))).toEqual([['a', '1']])
  })

  it('yields the same parts for all chunk sizes', async () => {
    const content = fc
      .string({ unit: 'grapheme', maxLength: 200 })
      .map((text) => `${text}\r\n-\r\n--bound\r\n--`)
    const name = fc.stringMatching(/^[a-z]{1,8}$/)
    const part = fc.oneof(
      fc.tuple(name, content),
      fc.tuple(name, fc.constant('a.png'), fc.constant('image/png'), content),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 40 }),
        async (parts, size) => {
          const body = encode(
            parts.map((one) =>
              one.length === 2 ? field(one[0], one[1]) : file(one[0], one[1], one[3], one[2]),
            ),
          )
          const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
            body.subarray(index * size, (index + 1) * size),
          )
          expect(await readAll(requestOf(chunks))).toEqual(parts)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('skips the unread rest of a file', async () => {
    const body = encode([
      file('file', 'a.png', new Uint8Array(500_000)),
      field('a', '1'),
      file('file', 'b.png', 'b'),
    ])
    const names: string[] = []
    for await (const part of readMultipart(requestOf(inChunks(body, 64 * 1024)), LIMITS)) {
      names.push(part.kind === 'file' ? part.filename : part.name)
      if (names.length === 3 && part.kind === 'file') for await (const _chunk of part.body) break
    }
    expect(names).toEqual(['a.png', 'a', 'b.png'])
  })

  it('reads from the network only as fast as the file is read', async () => {
    const total = 100
    let pulled = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      const body = encode([file('file', 'a.bin', new Uint8Array(0))], '')
      yield body.subarray(0, -2)
      for (; pulled < total; pulled++) yield new Uint8Array(64 * 1024)
      yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
    }
    const limits = { ...LIMITS, maxFileSize: 100_000_000 }
    for await (const part of readMultipart(requestOf(endless()), limits)) {
      if (part.kind !== 'file') continue
      let size = 0
      for await (const chunk of part.body) {
        size += chunk.length
        await new Promise(setImmediate)
        expect(pulled * 64 * 1024 - size).toBeLessThan(1_000_000)
      }
      expect(size).toBe(total * 64 * 1024)
    }
    expect(pulled).toBe(total)
  })

  it('stops reading the request if the caller leaves the loop', async () => {
    const cancelled = Promise.withResolvers<void>()
    const body = new ReadableStream<Uint8Array>({
      start: (controller) =>
        controller.enqueue(encode([file('file', 'a.bin', 'begin')], '').subarray(0, -2)),
      pull: (controller) => controller.enqueue(new Uint8Array(1000)),
      cancel: () => cancelled.resolve(),
    })
    const request = new Request('http://a.test', {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      body,
      duplex: 'half',
    })
    for await (const _part of readMultipart(request, LIMITS)) break
    await cancelled.promise
  })
})
