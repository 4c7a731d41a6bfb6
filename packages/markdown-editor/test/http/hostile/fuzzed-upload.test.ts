import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IMAGES } from '../../media/upload/images/image-samples.ts'
import { SAMPLES } from '../../media/upload/samples.ts'
import { fieldPart, filePart, form, join, PATH, post, TYPE } from './hostile-case.ts'
import { expectHealthy, type HostileServer, openHostileServer } from './hostile-server.ts'

// For more runs: `QUILLGATE_PROPERTY_RUNS=100000 npx vitest run …/fuzzed-upload.test.ts`.
const numRuns = Number(process.env['QUILLGATE_PROPERTY_RUNS'] ?? 400)

/** The documented error codes of an upload by HTTP status. */
const ANSWERS: Readonly<Record<number, readonly string[]>> = {
  400: ['malformed_multipart', 'missing_file', 'multiple_files', 'empty_file'],
  413: ['file_too_large', 'field_too_large', 'too_many_parts', 'body_too_large'],
  415: ['unsupported_media_type'],
  422: ['validation_error'],
}

const SEEDS: readonly Buffer[] = [
  form(filePart()),
  form(
    fieldPart('a', '1'),
    filePart('{"a":[1,2]}', '"ü.json"', 'application/json'),
    fieldPart('b', '2'),
  ),
  form(filePart(IMAGES.gif, '"a b.gif"', 'image/gif')),
  ...SAMPLES.map(([type, bytes, extension]) => form(filePart(bytes, `"a.${extension}"`, type))),
]

const TOKENS: readonly Buffer[] = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '--',
    '--x',
    '\r\n--x\r\n',
    '\r\n--x--',
    '\r\n--x--\r\n',
    '\r\n\r\n',
    '"',
    '\\',
    ';',
    ':',
    '\0',
    '\r\n ',
  ],
  ...[
    'content-disposition: form-data; name="file"; filename="b"\r\n',
    'content-type: text/html\r\n',
    'filename*=',
    "UTF-8''%",
  ],
  ...[
    'name="file"',
    'filename=""',
    '%00',
    '../',
    '\u202e',
    '\u0301',
    '<script>',
    '<?php',
    '\ud83d\ude00',
    'x'.repeat(5000),
  ],
].map((text) => Buffer.from(text))

/** An edit at an offset: removes bytes, inserts others, and XORs the next byte with `flip`. */
type Edit = {
  readonly at: number
  readonly remove: number
  readonly insert: Uint8Array
  readonly flip: number
}

const edits = fc.array(
  fc.record({
    at: fc.nat(),
    remove: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(40)),
    insert: fc.oneof(
      fc.constant(Buffer.alloc(0)),
      fc.constantFrom(...TOKENS),
      fc.uint8Array({ maxLength: 8 }),
    ),
    flip: fc.oneof(fc.constant(0), fc.nat(255)),
  }),
  { maxLength: 6 },
)
const bodies = fc
  .record({
    seed: fc.constantFrom(...SEEDS),
    edits,
    splice: fc.option(fc.tuple(fc.constantFrom(...SEEDS), fc.nat(), fc.nat())),
  })
  .map(({ seed, edits: list, splice }) => {
    const edited = list.reduce(edit, seed)
    if (!splice) return edited
    const [other, from, at] = splice
    return join(edited.subarray(0, at % (edited.length + 1)), other.subarray(from % other.length))
  })
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 })
const types = fc.oneof(
  { weight: 8, arbitrary: fc.constant(TYPE) },
  fc.constantFrom(
    'multipart/form-data',
    'multipart/form-data; boundary=""',
    'multipart/form-data; boundary="x',
    'text/plain',
    'multipart/form-data; boundary=xx',
  ),
)

let server: HostileServer
beforeAll(async () => {
  server = await openHostileServer()
})
afterAll(() => server.close())

describe('POST /md-editor/upload, fuzzed', () => {
  it(`answers as documented and leaves nothing behind, ${numRuns} times`, {
    timeout: 60_000 + numRuns * 100,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(bodies, cuts, types, async (body, at, type) => {
        const request = new Request(`http://example.com${PATH}`, {
          method: 'POST',
          headers: { authorization: 'Bearer ada', 'content-type': type },
          body: ReadableStream.from(cut(body, at)),
          duplex: 'half',
        })
        const response = await server.editor.fetch(request)
        await expectDocumented(response.status, Buffer.from(await response.bytes()))
      }),
      { numRuns, timeout: 15_000 },
    )
    await expectHealthy(server)
  })

  const socketRuns = Math.ceil(numRuns / 4)
  it(`answers or closes the connection for broken HTTP, ${socketRuns} times`, {
    timeout: 60_000 + numRuns * 100,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...SEEDS), edits, cuts, async (seed, list, at) => {
        const raw = list.reduce(edit, post(seed))
        const { status, body } = await server.exchange(cut(raw, at), 'half-close-later')
        // The edits may have changed the method, path or headers, so many results are valid.
        if (status === 201) await expectDocumented(status, body)
        else
          expect([
            null,
            400,
            401,
            403,
            404,
            405,
            408,
            411,
            413,
            415,
            417,
            422,
            431,
            501,
            505,
          ]).toContain(status)
        // If a client disconnects before the response, a sweep has to remove its upload.
        await expect.poll(filesAfterSweep, { timeout: 10_000 }).toEqual([])
        expect(server.problems).toEqual([])
      }),
      { numRuns: socketRuns },
    )
    await expectHealthy(server)
  })

  it('leaves no upload that a sweep cannot find', async () => {
    server.clock.advance(2 * 86_400_000)
    await server.editor.sweep()
    expect(Object.keys(await server.states()).filter((state) => state !== 'deleted')).toEqual([])
    expect(await server.files()).toEqual([])
  })
})

async function filesAfterSweep(): Promise<string[]> {
  if ((await server.states())['temporary']) {
    server.clock.advance(2 * 86_400_000)
    await server.editor.sweep()
  }
  return server.files()
}

/** An accepted file is removed afterwards. */
async function expectDocumented(status: number, body: Buffer): Promise<void> {
  const answer = JSON.parse(body.toString()) as { readonly code: string; readonly url: string }
  if (status === 201) {
    const served = await server.editor.fetch(new Request(`http://example.com${answer.url}`))
    expect(served.status).toBe(200)
    expect((await served.bytes()).length).toBeGreaterThan(0)
    expect(await server.editor.media.remove(/m[0-9a-z]{26}/.exec(answer.url)?.[0] ?? '')).toBe(true)
  } else {
    expect(ANSWERS[status]).toContain(answer.code)
  }
  expect(await server.files()).toEqual([])
  expect(server.problems).toEqual([])
}

function edit(body: Buffer, { at, remove, insert, flip }: Edit): Buffer {
  const offset = at % (body.length + 1)
  const rest = Buffer.from(body.subarray(Math.min(offset + remove, body.length)))
  if (rest[0] !== undefined) rest[0] ^= flip
  return join(body.subarray(0, offset), insert, rest)
}

/** Splits a body at the given fractions of its length. */
function cut(body: Buffer, at: readonly number[]): Buffer[] {
  const offsets = [
    ...new Set([0, ...at.map((fraction) => Math.floor(fraction * body.length)), body.length]),
  ].sort((a, b) => a - b)
  return offsets.slice(1).map((end, index) => body.subarray(offsets[index], end))
}
