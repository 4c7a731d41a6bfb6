import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  BOUNDARY,
  encode,
  field,
  file,
  inChunks,
  type Part,
  readAll,
  requestOf,
} from '../support/multipart.ts'

const numRuns = Number(process.env['QUILLGATE_PROPERTY_RUNS'] ?? 300)

// These contents resemble the delimiter, so the parser must keep some bytes until the next chunk.
const TRICKY = `a\r\n--${BOUNDARY.slice(0, -1)}\r\n-\r\n--\r\n\r\r\n-\n--${BOUNDARY}\r`
const PARTS: readonly Part[] = [
  field('a', TRICKY),
  file('b', 'ü.png', TRICKY),
  field('c', ''),
  file('d', 'd.png', ''),
]
const FORM = Buffer.concat([Buffer.from('preamble\r\n'), encode(PARTS), Buffer.from('epilogue')])
const READ = [
  ['a', TRICKY],
  ['b', 'ü.png', 'image/png', TRICKY],
  ['c', ''],
  ['d', 'd.png', 'image/png', ''],
]

describe('a form in chunks', () => {
  it('is read correctly if it is split at any byte', async () => {
    for (let at = 1; at < FORM.length; at++) {
      const pieces = [FORM.subarray(0, at), FORM.subarray(at)]
      expect(await readAll(requestOf(pieces)), `cut at ${at}`).toEqual(READ)
    }
  })

  it('is read correctly in chunks of any size, including empty ones', async () => {
    for (let size = 1; size <= 40; size++) {
      expect(await readAll(requestOf(inChunks(FORM, size))), `pieces of ${size}`).toEqual(READ)
    }
    const sparse = [...inChunks(FORM, 7)].flatMap((piece) => [new Uint8Array(), piece])
    expect(await readAll(requestOf(sparse))).toEqual(READ)
  })

  it('is malformed if it ends before its last delimiter, for all chunk sizes', async () => {
    const end = FORM.lastIndexOf(`--${BOUNDARY}--`) + `--${BOUNDARY}--`.length
    for (const size of [1, 3, 16, 1000]) {
      for (let length = 0; length < end; length += size === 1 ? 7 : 1) {
        const reading = readAll(requestOf(inChunks(FORM.subarray(0, length), size)))
        await expect(reading, `${length} bytes`).rejects.toMatchObject({
          status: 400,
          code: 'malformed_multipart',
        })
      }
    }
  })

  it('yields all parts that were written', async () => {
    const token = fc.constantFrom(
      '\r\n',
      '\r',
      '\n',
      '-',
      '--',
      `--${BOUNDARY}`,
      BOUNDARY,
      `${BOUNDARY}--`,
      'a',
      '"',
      ':',
      '\0',
      'ü',
      '',
    )
    const content = fc
      .array(token, { maxLength: 12 })
      .map((tokens) => withoutDelimiter(tokens.join('')))
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter(isPlain)
    const part = fc.oneof(
      fc
        .tuple(name, content)
        .map(([called, text]) => ({ part: field(called, text), read: [called, text] })),
      fc.tuple(name, name, content).map(([called, filename, text]) => {
        return { part: file(called, filename, text), read: [called, filename, 'image/png', text] }
      }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 5 }),
        fc.integer({ min: 1, max: 60 }),
        async (parts, size) => {
          const body = encode(parts.map((one) => one.part))
          expect(await readAll(requestOf(inChunks(body, size)))).toEqual(
            parts.map(({ read }) => read),
          )
        },
      ),
      { numRuns },
    )
  })
})

/** Replaces delimiters. The first `x` separates the content from the line break before it. */
function withoutDelimiter(text: string): string {
  return `x${text}`.replaceAll(`\r\n--${BOUNDARY}`, 'x')
}

/** Returns true if a header can contain the name unescaped, and parsing does not change it. */
function isPlain(name: string): boolean {
  return (
    name.isWellFormed() &&
    !/["\\/\p{Cc}\u2028\u2029]/u.test(name) &&
    name.trim() === name &&
    !/^\.{1,2}$/.test(name)
  )
}
