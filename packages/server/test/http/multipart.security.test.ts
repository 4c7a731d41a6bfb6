import { isQuillgateError } from '@quillgate/server/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MultipartLimits } from '../../src/http/multipart/read-multipart.ts'
import { readMultipart } from '../../src/http/multipart/read-multipart.ts'
import {
  BOUNDARY,
  bytesOf,
  encode,
  field,
  file,
  inChunks,
  LIMITS,
  type Part,
  readAll,
  requestOf,
} from './support/multipart.ts'

const WHOLE = encode([field('csrf_token', 'abc'), file('file', 'a.png', 'bytes of a file')])

const refusal = (body: Uint8Array, limits: MultipartLimits = LIMITS): Promise<unknown> =>
  readAll(requestOf([body]), limits).then(
    (parts) => parts,
    (error: unknown) => error,
  )

describe('a form that is too large', () => {
  it('can have a file of exactly the limit', async () => {
    const body = encode([file('file', 'a.png', 'x'.repeat(1000))])
    expect(await refusal(body, { ...LIMITS, maxFileSize: 1000 })).toEqual([
      ['file', 'a.png', 'image/png', 'x'.repeat(1000)],
    ])
  })

  it('is rejected with 413 file_too_large at the next byte', async () => {
    const body = encode([file('file', 'a.png', 'x'.repeat(1001))])
    expect(await refusal(body, { ...LIMITS, maxFileSize: 1000 })).toMatchObject({
      status: 413,
      code: 'file_too_large',
    })
  })

  it('yields the parts before the large file first, so that they can be checked', async () => {
    const body = encode([field('csrf_token', 'abc'), file('file', 'a.png', 'x'.repeat(1001))])
    const seen: string[] = []
    const reading = async (): Promise<void> => {
      for await (const part of readMultipart(requestOf([body]), { ...LIMITS, maxFileSize: 1000 })) {
        seen.push(part.name)
        if (part.kind === 'file') await bytesOf(part.body)
      }
    }
    await expect(reading()).rejects.toMatchObject({ code: 'file_too_large' })
    expect(seen).toEqual(['csrf_token', 'file'])
  })

  it('is rejected while it streams, also if the file is not read', async () => {
    for (const read of [true, false]) {
      let sent = 0
      async function* endless(): AsyncGenerator<Uint8Array> {
        yield encode([file('file', 'a.bin', '')], '').subarray(0, -2)
        for (;;) {
          sent += 64 * 1024
          yield new Uint8Array(64 * 1024)
        }
      }
      const reading = async (): Promise<void> => {
        for await (const part of readMultipart(requestOf(endless()), LIMITS)) {
          if (part.kind === 'file' && read) for await (const _chunk of part.body);
        }
      }
      await expect(reading()).rejects.toMatchObject({ code: 'file_too_large' })
      expect(sent).toBeLessThan(2_000_000)
    }
  })

  it('can have its own limit for the whole form', async () => {
    const body = encode([field('a', 'x'.repeat(500)), field('b', 'x'.repeat(500))])
    expect(await refusal(body, { ...LIMITS, maxSize: body.length })).toHaveLength(2)
    expect(await refusal(body, { ...LIMITS, maxSize: body.length - 1 })).toMatchObject({
      code: 'body_too_large',
      status: 413,
    })
  })

  it('is rejected with 413 for a field over its limit', async () => {
    const limits = { ...LIMITS, maxFieldSize: 10 }
    expect(await refusal(encode([field('a', 'x'.repeat(10))]), limits)).toEqual([
      ['a', 'x'.repeat(10)],
    ])
    expect(await refusal(encode([field('a', 'x'.repeat(11))]), limits)).toMatchObject({
      code: 'field_too_large',
      status: 413,
    })
  })

  it('yields no parts after the limit, and ends pending reads', async () => {
    const begin = encode([field('a', 'x'.repeat(11)), file('file', 'a.png', 'begin')], '').subarray(
      0,
      -2,
    )
    const never = new Promise<never>(() => {})
    async function* stalling(): AsyncGenerator<Uint8Array> {
      yield begin
      await never
    }
    const reading = readAll(requestOf(stalling()), { ...LIMITS, maxFieldSize: 10 })
    await expect(reading).rejects.toMatchObject({ code: 'field_too_large' })
  })

  it('is rejected with 413 for too many fields, files or other parts', async () => {
    const limits = { ...LIMITS, maxFields: 2, maxFiles: 1 }
    const nameless = { headers: ['X-Nothing: 1'], content: '' }
    for (const parts of [
      Array(3).fill(field('a', '1')),
      Array(2).fill(file('f', 'a.png', '')),
      Array(4).fill(nameless),
    ]) {
      expect(await refusal(encode(parts), limits)).toMatchObject({
        code: 'too_many_parts',
        status: 413,
      })
    }
  })

  it.each([
    ['preamble', ''],
    [
      'epilogue',
      `${encode([field('a', '1')]).reduce((text, byte) => text + String.fromCharCode(byte), '')}`,
    ],
    ['header', `--${BOUNDARY}\r\nContent-Disposition: form-data; name="`],
  ])('is rejected with 413 body_too_large for an endless %s', async (_name, begin) => {
    function* endless(): Generator<Uint8Array> {
      yield Buffer.from(begin, 'latin1')
      for (;;) yield Buffer.alloc(64 * 1024, 'x')
    }
    const limits = { maxFileSize: 1000, maxFiles: 1, maxFields: 1, maxFieldSize: 1000 }
    await expect(readAll(requestOf(endless()), limits)).rejects.toMatchObject({
      code: 'body_too_large',
      status: 413,
    })
  })
})

describe('a malformed form', () => {
  it.each([
    ['of another type', 'application/x-www-form-urlencoded', 415],
    ['of no type', '', 415],
    ['of another multipart type', `multipart/mixed; boundary=${BOUNDARY}`, 415],
    ['without a boundary', 'multipart/form-data', 400],
  ])('is rejected %s', async (_name, type, status) => {
    await expect(readAll(requestOf([WHOLE], type))).rejects.toMatchObject({ status })
  })

  it('is rejected with 400 if it is truncated at any byte', async () => {
    const end = WHOLE.length - 2 // The last line break is not needed.
    for (let length = 0; length < end; length++) {
      expect(await refusal(WHOLE.subarray(0, length)), `cut at ${length}`).toMatchObject({
        status: 400,
        code: 'malformed_multipart',
      })
    }
  })

  it('is rejected with 400 if it has no body', async () => {
    const request = new Request('http://a.test', {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    })
    await expect(readAll(request)).rejects.toMatchObject({
      status: 400,
      code: 'malformed_multipart',
    })
  })

  it('is rejected with 400 for a part without a name', async () => {
    for (const disposition of ['form-data', 'form-data; filename="a.png"']) {
      const body = encode([{ headers: [`Content-Disposition: ${disposition}`], content: 'x' }])
      expect(await refusal(body)).toMatchObject({ status: 400, code: 'malformed_multipart' })
    }
  })

  it('is rejected with 400 if the client disconnects, also while a file is read', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield WHOLE.subarray(0, -30)
      throw new Error('ECONNRESET')
    }
    let fromBody: unknown
    const reading = async (): Promise<void> => {
      for await (const part of readMultipart(requestOf(broken()), LIMITS)) {
        if (part.kind === 'file') {
          await bytesOf(part.body).catch((error: unknown) => {
            fromBody = error
          })
        }
      }
    }
    await expect(reading()).rejects.toMatchObject({ code: 'malformed_multipart' })
    expect(fromBody).toMatchObject({ code: 'malformed_multipart' })
  })

  it('explains what to do if the body was already read', async () => {
    const request = requestOf([WHOLE])
    await request.bytes()
    await expect(readAll(request)).rejects.toMatchObject({ status: 500, code: 'body_already_read' })
  })

  it('ends at a closing delimiter in the middle of headers', async () => {
    const early = `--${BOUNDARY}\r\nContent-Disposition: fo\r\n--${BOUNDARY}--`
    expect(await refusal(Buffer.concat([Buffer.from(early), WHOLE]))).toEqual([])
  })

  it('ends with parts or a Quillgate error for all bytes and all ways to read files', async () => {
    const delimiters = [
      '\r\n',
      '--',
      `--${BOUNDARY}--`,
      `\r\n--${BOUNDARY}`,
      `\r\n--${BOUNDARY}--`,
      '"',
      ';',
      '\0',
      '\r\n\r\n',
    ]
    const edit = fc.record({
      at: fc.nat(WHOLE.length),
      remove: fc.nat(20),
      insert: fc.oneof(
        fc.uint8Array({ maxLength: 8 }),
        fc.constantFrom(...delimiters).map((text) => Buffer.from(text)),
      ),
    })
    const reading = fc.constantFrom<Reading>('whole', 'begin', 'not')
    await fc.assert(
      fc.asyncProperty(
        fc.array(edit, { maxLength: 5 }),
        fc.integer({ min: 1, max: 80 }),
        reading,
        async (edits, size, read) => {
          let body = Buffer.from(WHOLE)
          for (const { at, remove, insert } of edits) {
            body = Buffer.concat([body.subarray(0, at), insert, body.subarray(at + remove)])
          }
          const outcome = await consume(requestOf(inChunks(body, size)), read).catch(
            (error: unknown) => error,
          )
          expect(outcome === undefined || isQuillgateError(outcome)).toBe(true)
        },
      ),
      { numRuns: 1000 },
    )
  })
})

type Reading = 'whole' | 'begin' | 'not'

async function consume(request: Request, read: Reading): Promise<void> {
  for await (const part of readMultipart(request, LIMITS)) {
    if (part.kind === 'field' || read === 'not') continue
    for await (const _chunk of part.body) if (read === 'begin') break
  }
}

describe('a form with parts that are skipped', () => {
  const shapes: readonly Part['headers'][] = [
    [''],
    ['X-Nothing: 1'],
    ['Content-Disposition: attachment; name="a"'],
    field('a', '').headers,
    file('f', 'a.png', '').headers,
  ]
  const isSeen = ({ headers }: Part) => headers[0]?.includes('form-data') === true
  const nameless = (size: number): Uint8Array<ArrayBuffer> =>
    new Uint8Array(Buffer.from(`--${BOUNDARY}\r\n\r\n${'x'.repeat(size)}\r\n--${BOUNDARY}--\r\n`))

  it.each([65_000, 65_536, 66_000, 131_072, 900_000])(
    'ends if its only part is a skipped one of %i bytes',
    async (size) => {
      expect(await refusal(nameless(size))).toEqual([])
    },
    5_000,
  )

  it('yields its other parts for all sizes and chunk boundaries', async () => {
    const size = fc.oneof(
      fc.nat(100),
      fc
        .tuple(
          fc.constantFrom(16_384, 32_768, 65_536, 131_072),
          fc.integer({ min: -300, max: 300 }),
        )
        .map(([a, b]) => a + b),
      fc.nat(200_000),
    )
    const part = fc.tuple(fc.constantFrom(...shapes), size).map(
      ([headers, length]): Part => ({
        headers,
        content: 'x'.repeat(length),
      }),
    )
    const cut = fc.constantFrom(1000, 16_384, 20_000, 65_536, 100_000, 10_000_000)
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 5 }),
        cut,
        fc.boolean(),
        async (parts, length, isSlow) => {
          const sizes = await sizesOf(requestOf(inChunks(encode(parts), length)), isSlow)
          expect(sizes).toEqual(parts.filter(isSeen).map(({ content }) => content.length))
        },
      ),
      { numRuns: 200, timeout: 5_000 },
    )
  }, 60_000)

  async function sizesOf(request: Request, isSlow: boolean): Promise<number[]> {
    const sizes: number[] = []
    for await (const part of readMultipart(request, { ...LIMITS, maxFieldSize: 1_000_000 })) {
      let length = part.kind === 'field' ? part.value.length : 0
      if (part.kind === 'file') {
        for await (const chunk of part.body) {
          length += chunk.length
          if (isSlow) await new Promise(setImmediate)
        }
      }
      sizes.push(length)
    }
    return sizes
  }
})

describe('names of files', () => {
  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\\\Windows\\\\evil.exe', 'evil.exe'],
    ['/absolute.png', 'absolute.png'],
    ['..', ''],
    ['a%22b.png', 'a%22b.png'],
  ])('do not contain directories: %s', async (filename, expected) => {
    const [part] = await readAll(requestOf([encode([file('file', filename, 'x')])]))
    expect(part?.[1]).toBe(expected)
  })

  it('are well-formed text even if their bytes are not', async () => {
    const head = Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a`,
    )
    const tail = Buffer.from(`b.png"\r\n\r\nx\r\n--${BOUNDARY}--\r\n`)
    const [part] = await readAll(requestOf([head, Buffer.from([0xff, 0xc3]), tail]))
    expect(part?.[1]).toBe('a\uFFFD\uFFFDb.png')
  })
})
