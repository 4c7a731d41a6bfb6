import { describe, expect, it } from 'vitest'
import { readImage } from '../../../../src/media/upload/images/read-image.ts'
import {
  animationFrame,
  extendedHeader,
  IMAGES,
  png,
  pngChunk,
  pngHeader,
  riffChunk,
  segment,
  webp,
} from './image-samples.ts'
import { inPieces, read } from './read.ts'

const damaged = { code: 'unsupported_media_type', status: 415 }
const tooLarge = { code: 'validation_error', status: 422 }

const { jpeg, progressiveJpeg, lossyWebp, losslessWebp, alphaWebp, gif } = IMAGES
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
describe('readImage', () => {
  const files: [string, string, Buffer, { width: number; height: number }][] = [
    ['a PNG', 'image/png', png(), { width: 24, height: 16 }],
    [
      'an animated PNG',
      'image/apng',
      png({ before: [pngChunk('acTL', Buffer.alloc(8))] }),
      { width: 24, height: 16 },
    ],
    ['a JPEG', 'image/jpeg', jpeg, { width: 24, height: 16 }],
    ['a progressive JPEG', 'image/jpeg', progressiveJpeg, { width: 24, height: 16 }],
    ['a GIF', 'image/gif', gif, { width: 24, height: 16 }],
    ['a lossy WebP', 'image/webp', lossyWebp, { width: 24, height: 16 }],
    ['a lossless WebP', 'image/webp', losslessWebp, { width: 9, height: 5 }],
    ['an extended WebP', 'image/webp', alphaWebp, { width: 24, height: 16 }],
  ]

  it.each(files)(
    'returns the size of %s, and does not change it without metadata',
    async (_what, type, bytes, size) => {
      for (const pieces of [1, 2, 3, 7, 100, 100_000]) {
        expect(await read(type, bytes, undefined, pieces)).toEqual({ bytes, size })
      }
    },
  )

  const isShownPartially = ([, type]: (typeof files)[number]): boolean => type !== 'image/webp'

  it.each(files.filter(isShownPartially))(
    'accepts %s without its last bytes, as browsers do',
    async (_what, type, bytes, size) => {
      const half = bytes.subarray(0, -9)
      const result = await read(type, half)
      expect(result.size).toEqual(size)
      expect(half.subarray(0, result.bytes.byteLength).equals(result.bytes)).toBe(true)
      expect(result.bytes.byteLength).toBeGreaterThanOrEqual(half.byteLength - 12)
    },
  )

  it.each(files.filter((file) => !isShownPartially(file)))(
    'refuses %s without its last bytes, because browsers do not display it',
    async (_what, type, bytes) => {
      for (const end of [-1, -9, -60]) {
        await expect(read(type, bytes.subarray(0, end))).rejects.toThrow(
          'The image is damaged: its end is missing',
        )
      }
    },
  )

  it('accepts images that are damaged after their first pixels', async () => {
    const size = { width: 24, height: 16 }
    const end = png().byteLength - 12
    for (const damage of [pngChunk('CgBI'), latin1('no chunk at all')]) {
      const bytes = png({ after: [damage, pngChunk('tEXt', 'x')] })
      expect(await read('image/png', bytes)).toEqual({ bytes: bytes.subarray(0, end), size })
    }
    const scan = progressiveJpeg.lastIndexOf(latin1('\xff\xda'))
    const whole = progressiveJpeg.subarray(0, scan)
    for (const damage of [
      '\xff\xf7',
      '\xff\xc0\0\x11',
      '\xff\xe1\xff\xff',
      '\xff\xfe\0\0',
      '\xff\xc4\xff\xffx',
    ]) {
      const bytes = Buffer.concat([whole, latin1(damage), progressiveJpeg.subarray(scan)])
      expect(await read('image/jpeg', bytes)).toEqual({
        bytes: Buffer.concat([whole, latin1('\xff\xd9')]),
        size,
      })
    }
  })

  it('enlarges a GIF to its first frame, as browsers do', async () => {
    const bytes = Buffer.from(gif)
    const frame = gif.indexOf(',', gif.indexOf(latin1('NETSCAPE')))
    bytes.writeUInt16LE(6, frame + 1)
    expect(await read('image/gif', bytes)).toEqual({ bytes, size: { width: 30, height: 16 } })
    bytes.writeUInt16LE(65_535, frame + 1)
    await expect(read('image/gif', bytes)).rejects.toMatchObject(tooLarge)
  })

  it.each(files)('refuses %s that ends before its pixels', async (_what, type, bytes) => {
    await expect(read(type, bytes.subarray(0, 9))).rejects.toMatchObject(damaged)
  })

  it.each(files)('rejects %s with a wrong signature', async (_what, type, bytes) => {
    const changed = Buffer.from(bytes)
    changed.fill('x', 0, 13)
    await expect(read(type, changed)).rejects.toMatchObject(damaged)
  })

  it.each(files)(
    'rejects %s with more pixels than allowed',
    async (_what, type, bytes, { width, height }) => {
      const pixels = width * height
      await expect(read(type, bytes, pixels - 1)).rejects.toMatchObject(tooLarge)
      expect(await read(type, bytes, pixels)).toMatchObject({
        size: { width, height },
      })
    },
  )

  it('reads only images', () => {
    for (const type of ['text/plain', 'video/mp4', 'constructor', '']) {
      expect(readImage(type, inPieces(jpeg, 10))).toBe(null)
    }
  })

  it('returns no size before it has read the whole image', async () => {
    const image = readImage('image/jpeg', inPieces(jpeg, 100))
    for await (const _ of image?.body ?? []) expect(image?.shownSize()).toBe(null)
    expect(image?.shownSize()).toEqual({ width: 24, height: 16 })
  })

  it('passes on errors of the body', async () => {
    const body = (async function* () {
      yield jpeg.subarray(0, 100)
      throw new Error('gone')
    })()
    const consume = async (): Promise<void> => {
      for await (const _ of readImage('image/jpeg', body)?.body ?? []);
    }
    await expect(consume()).rejects.toThrow('gone')
  })

  it('names the size and its limit in the error', async () => {
    await expect(read('image/png', png(), 100)).rejects.toThrow(
      'The image has 24 × 16 pixels. The maximum is 100 in total. Make it smaller and send it again.',
    )
  })
})

describe('a decompression bomb', () => {
  it('is rejected by its header before its pixels are read', async () => {
    let taken = 0
    const body = (async function* () {
      yield Buffer.concat([latin1('\x89PNG\r\n\x1a\n'), pngHeader(60_000, 60_000)])
      for (;;) {
        taken++
        yield Buffer.alloc(1000)
      }
    })()
    const consume = async (): Promise<void> => {
      for await (const _ of readImage('image/png', body)?.body ?? []);
    }
    await expect(consume()).rejects.toMatchObject(tooLarge)
    expect(taken).toBe(0)
  })

  it('is rejected if it is long and thin', async () => {
    await expect(read('image/png', png({ width: 65_536, height: 1 }))).rejects.toThrow(
      '65535 per side',
    )
    expect(await read('image/png', png({ width: 65_535, height: 1 }))).toMatchObject({
      size: { width: 65_535, height: 1 },
    })
  })

  it('is rejected with more pixels in its scans than allowed, or with more than 100 scans', async () => {
    const last = progressiveJpeg.lastIndexOf(latin1('\xff\xda'))
    const scans = (count: number): Buffer => {
      const more = Array.from({ length: count - 10 }, () => progressiveJpeg.subarray(last, -2))
      return Buffer.concat([progressiveJpeg.subarray(0, -2), ...more, progressiveJpeg.subarray(-2)])
    }
    const limit = 24 * 16
    expect(await read('image/jpeg', scans(20), limit)).toMatchObject({
      size: { width: 24, height: 16 },
    })
    await expect(read('image/jpeg', scans(21), limit)).rejects.toMatchObject(tooLarge)
    expect((await read('image/jpeg', scans(100))).bytes).toEqual(scans(100))
    await expect(read('image/jpeg', scans(101))).rejects.toThrow('more than 100 scans')
  })

  it('is rejected with too many frames', async () => {
    const frames = (count: number): Buffer =>
      png({ before: Array.from({ length: count }, () => pngChunk('fcTL', Buffer.alloc(26))) })
    const limit = 24 * 16
    expect(await read('image/png', frames(20), limit)).toMatchObject({ size: { width: 24 } })
    await expect(read('image/png', frames(21), limit)).rejects.toMatchObject(tooLarge)

    const still = losslessWebp.subarray(12)
    const animated = (count: number): Buffer =>
      webp(
        extendedHeader(2, 9, 5),
        riffChunk('ANIM', Buffer.alloc(6)),
        ...Array.from({ length: count }, () => animationFrame(9, 5, still)),
      )
    expect(await read('image/webp', animated(20), 45)).toMatchObject({
      size: { width: 9 },
    })
    await expect(read('image/webp', animated(21), 45)).rejects.toMatchObject(tooLarge)

    const frame = gif.subarray(gif.lastIndexOf(latin1('!\xf9')), -1)
    const long = (count: number): Buffer =>
      Buffer.concat([
        gif.subarray(0, -1),
        ...Array.from({ length: count - 2 }, () => frame),
        latin1(';'),
      ])
    expect(await read('image/gif', long(20), limit)).toMatchObject({ bytes: long(20) })
    await expect(read('image/gif', long(21), limit)).rejects.toMatchObject(tooLarge)
  })

  it('is rejected if another header contains a smaller size', async () => {
    for (const [width, height] of [
      [1, 1],
      [24, 1],
      [1, 16],
    ] as const) {
      const bytes = webp(extendedHeader(0, width, height), lossyWebp.subarray(12))
      await expect(read('image/webp', bytes)).rejects.toMatchObject(damaged)
    }
    await expect(
      read(
        'image/webp',
        webp(extendedHeader(2, 24, 16), animationFrame(2, 2, lossyWebp.subarray(12))),
      ),
    ).rejects.toMatchObject(damaged)
    const again = Buffer.concat([
      jpeg.subarray(0, jpeg.indexOf(latin1('\xff\xda'))),
      segment(0xc0, jpeg.subarray(163, 178)),
      jpeg,
    ])
    await expect(read('image/jpeg', again)).rejects.toMatchObject(damaged)
    const frame = Buffer.from(gif)
    frame.writeUInt16LE(60_000, gif.indexOf(',', 20) + 5)
    frame.writeUInt16LE(60_000, gif.indexOf(',', 20) + 7)
    await expect(read('image/gif', frame)).rejects.toMatchObject(tooLarge)
    await expect(read('image/png', png({ before: [pngHeader(1, 1)] }))).rejects.toMatchObject(
      damaged,
    )
  })

  it('is rejected without a size', async () => {
    await expect(read('image/png', png({ width: 0 }))).rejects.toMatchObject(damaged)
    await expect(read('image/gif', latin1('GIF89a\0\0\x01\0'))).rejects.toMatchObject(damaged)
    await expect(read('image/webp', webp())).rejects.toMatchObject(damaged)
    await expect(
      read('image/jpeg', latin1('\xff\xd8\xff\xda\0\x02abc\xff\xd9')),
    ).rejects.toMatchObject(damaged)
    await expect(read('image/jpeg', latin1('\xff\xd8\xff\xd9'))).rejects.toMatchObject(damaged)
  })
})
