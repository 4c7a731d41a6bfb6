import { isQuillgateError } from '@quillgate/server/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  animationFrame,
  bareExif,
  exif,
  exifSegment,
  extendedHeader,
  IMAGES,
  jpegWith,
  png,
  pngChunk,
  riffChunk,
  SECRET,
  segment,
  webp,
} from './image-samples.ts'
import { read } from './read.ts'

const secret = Buffer.from(SECRET)
const comment = Buffer.concat([
  Buffer.from([0x21, 0xfe, secret.byteLength]),
  secret,
  Buffer.alloc(1),
])
const still = IMAGES.losslessWebp.subarray(12)

const FILES: readonly (readonly [type: string, bytes: Buffer])[] = [
  [
    'image/png',
    png({
      before: [pngChunk('eXIf', exif(6)), pngChunk('fcTL', Buffer.alloc(26))],
      after: [pngChunk('tEXt', SECRET)],
    }),
  ],
  [
    'image/jpeg',
    jpegWith(
      IMAGES.jpeg,
      exifSegment(exif(6)),
      segment(0xe2, 'ICC_PROFILE\0'),
      segment(0xfe, SECRET),
    ),
  ],
  [
    'image/jpeg',
    jpegWith(
      IMAGES.progressiveJpeg,
      segment(0xee, 'Adobe\0\x64\0\0\0\0\x01'),
      segment(0xed, SECRET),
    ),
  ],
  [
    'image/gif',
    Buffer.concat([IMAGES.gif.subarray(0, -1), comment, IMAGES.gif.subarray(-1), secret]),
  ],
  [
    'image/webp',
    webp(
      extendedHeader(12, 24, 16),
      IMAGES.lossyWebp.subarray(12),
      riffChunk('EXIF', exif(6)),
      riffChunk('XMP ', SECRET),
    ),
  ],
  [
    'image/webp',
    webp(
      extendedHeader(2, 9, 5),
      animationFrame(9, 5, still, riffChunk('abcd', SECRET)),
      animationFrame(9, 5, still),
    ),
  ],
]

/** The maximum number of added bytes: an EXIF chunk with nothing but the orientation. */
const MOST_GROWTH = bareExif(6).byteLength + 12

const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 20 })

/** One of the files with random insertions and deletions. It can also be cut off. */
const mutated = fc
  .tuple(
    fc.constantFrom(...FILES),
    fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        removed: fc.integer({ min: 0, max: 12 }),
        added: fc.oneof(
          fc.uint8Array({ maxLength: 8 }),
          fc
            .constantFrom(
              'ffff',
              'ffd8',
              'ffd9',
              'ffda0002',
              'ffe1ffff',
              '00000000',
              'ffffffff',
              '7fffffff',
              '00000001',
            )
            .map((hex) => Buffer.from(hex, 'hex')),
          fc
            .constantFrom('IEND', 'IHDR', 'eXIf', 'EXIF', 'VP8X', 'ANMF', 'RIFF', SECRET)
            .map((text) => Buffer.from(text)),
        ),
      }),
      { maxLength: 4 },
    ),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.boolean(),
  )
  .map(([[type, bytes], changes, end, isCut]): [string, Buffer] => {
    let file = bytes
    for (const { at, removed, added } of changes) {
      const offset = Math.floor(at * file.byteLength)
      file = Buffer.concat([file.subarray(0, offset), added, file.subarray(offset + removed)])
    }
    return [type, isCut ? file.subarray(0, Math.ceil(end * file.byteLength)) : file]
  })

async function outcome(type: string, bytes: Buffer, pieces: number | readonly number[]) {
  try {
    return await read(type, bytes, undefined, pieces)
  } catch (error) {
    if (!isQuillgateError(error)) throw error
    return { code: error.code, detail: error.detail }
  }
}

describe('readImage with any bytes', () => {
  it('accepts or rejects them, and adds at most an orientation', async () => {
    await fc.assert(
      fc.asyncProperty(mutated, async ([type, file]) => {
        const result = await outcome(type, file, 100_000)
        if ('code' in result)
          expect(['unsupported_media_type', 'validation_error']).toContain(result.code)
        else {
          expect(result.bytes.byteLength).toBeLessThanOrEqual(file.byteLength + MOST_GROWTH)
          expect(result.size?.width).toBeGreaterThan(0)
          expect(result.size?.height).toBeGreaterThan(0)
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('returns the same result for any chunk boundaries', async () => {
    await fc.assert(
      fc.asyncProperty(mutated, sizes, async ([type, file], pieces) => {
        expect(await outcome(type, file, pieces)).toEqual(await outcome(type, file, 100_000))
      }),
      { numRuns: 1500 },
    )
  })

  it('does not change an image that it has cleaned', async () => {
    await fc.assert(
      fc.asyncProperty(mutated, async ([type, file]) => {
        const first = await outcome(type, file, 100_000)
        if ('code' in first) return
        // A damaged JPEG can end with the first byte of a marker, which a second cleaning removes.
        const isOpen = type === 'image/jpeg' && first.bytes.at(-1) === 0xff
        const bytes = isOpen ? first.bytes.subarray(0, -1) : first.bytes
        expect(await outcome(type, first.bytes, 100_000)).toEqual({ ...first, bytes })
      }),
      { numRuns: 1500 },
    )
  })

  it('rejects or accepts noise', async () => {
    const types = fc.constantFrom(...FILES.map(([type]) => type))
    await fc.assert(
      fc.asyncProperty(types, fc.uint8Array({ maxLength: 300 }), async (type, bytes) => {
        await outcome(type, Buffer.from(bytes), 7)
      }),
    )
  })
})
