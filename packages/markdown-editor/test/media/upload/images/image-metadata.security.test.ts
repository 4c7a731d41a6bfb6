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

const { jpeg, progressiveJpeg, lossyWebp, losslessWebp, alphaWebp, gif } = IMAGES
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const rotated = { width: 16, height: 24 }
const asStored = { width: 24, height: 16 }

async function clean(type: string, bytes: Buffer) {
  expect(bytes.includes(SECRET)).toBe(true)
  const result = await read(type, bytes)
  expect(result.bytes.includes('SECRET')).toBe(false)
  for (const pieces of [1, 13, 100_000])
    expect(await read(type, bytes, undefined, pieces)).toEqual(result)
  return result
}

describe('cleaning a JPEG', () => {
  it.each([
    ['EXIF', exifSegment(exif(1))],
    ['little-endian EXIF', exifSegment(exif(1, 'II'))],
    ['XMP', segment(0xe1, `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>${SECRET}`)],
    ['IPTC', segment(0xed, `Photoshop 3.0\x008BIM\x04\x04${SECRET}`)],
    ['a comment', segment(0xfe, SECRET)],
    ['an index of more images', segment(0xe2, `MPF\0${SECRET}`)],
    ['a JFIF thumbnail', segment(0xe0, `JFXX\0\x10${SECRET}`)],
    ['a segment that imitates a color profile', segment(0xe5, `ICC_PROFILE\0${SECRET}`)],
    ['content credentials', segment(0xeb, `JP\0\x01${SECRET}`)],
    [
      'an empty segment and a full one',
      Buffer.concat([segment(0xe5, ''), segment(0xef, SECRET.padEnd(65_533))]),
    ],
    ['bytes outside of segments', latin1(`${SECRET}\xff\0\xff\xff`)],
  ])('removes %s', async (_what, extra) => {
    expect(await clean('image/jpeg', jpegWith(jpeg, extra))).toEqual({
      bytes: jpeg,
      size: asStored,
    })
  })

  it('removes metadata between and after the scans, and after the end', async () => {
    const scan = progressiveJpeg.lastIndexOf(latin1('\xff\xda'))
    const later = Buffer.concat([
      progressiveJpeg.subarray(0, scan),
      segment(0xfe, SECRET),
      exifSegment(exif(6)),
      progressiveJpeg.subarray(scan, -2),
      segment(0xe1, SECRET),
      progressiveJpeg.subarray(-2),
      latin1(`\0\0\0\x18ftypmp42${SECRET}`),
      jpegWith(jpeg, exifSegment(exif(1))),
    ])
    expect(await clean('image/jpeg', later)).toEqual({ bytes: progressiveJpeg, size: asStored })
  })

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'keeps the orientation %i but no other EXIF data',
    async (orientation) => {
      const { bytes, size } = await clean(
        'image/jpeg',
        jpegWith(jpeg, exifSegment(exif(orientation, 'II'))),
      )
      expect(bytes).toEqual(
        orientation === 1 ? jpeg : jpegWith(jpeg, exifSegment(bareExif(orientation))),
      )
      expect(size).toEqual(orientation < 5 ? asStored : rotated)
      expect(await read('image/jpeg', bytes)).toEqual({ bytes, size })
    },
  )

  it('uses the first EXIF block, as browsers do', async () => {
    const twice = jpegWith(jpeg, exifSegment(exif(1)), exifSegment(exif(6)))
    expect(await clean('image/jpeg', twice)).toEqual({ bytes: jpeg, size: asStored })
  })

  it.each([
    ['no directory', latin1('MM\0*\0\0\xff\xff')],
    ['a truncated directory', exif(6).subarray(0, 20)],
    ['no byte order', latin1('XX').subarray(0, 2)],
    ['an invalid orientation', exif(9)],
    ['no data', Buffer.alloc(0)],
  ])('treats EXIF with %s like an image without orientation', async (_what, data) => {
    expect(await read('image/jpeg', jpegWith(jpeg, exifSegment(data)))).toEqual({
      bytes: jpeg,
      size: asStored,
    })
  })

  it('keeps color and pixel parameters', async () => {
    const profile = segment(0xe2, 'ICC_PROFILE\0\x01\x01a profile')
    const adobe = segment(0xee, 'Adobe\0\x64\0\0\0\0\x01')
    const both = jpegWith(jpeg, profile, adobe)
    expect(await read('image/jpeg', both)).toEqual({ bytes: both, size: asStored })
    const longer = jpegWith(jpeg, profile, segment(0xee, `Adobe\0\x64\0\0\0\0\x01${SECRET}`))
    expect(await clean('image/jpeg', longer)).toEqual({ bytes: both, size: asStored })
  })

  it('keeps the JFIF pixel density, but not its thumbnail', async () => {
    const content = Buffer.concat([
      jpeg.subarray(6, 18),
      Buffer.from([3, 3]),
      latin1(SECRET.padEnd(27)),
    ])
    const withThumbnail = Buffer.concat([
      jpeg.subarray(0, 2),
      segment(0xe0, content),
      jpeg.subarray(20),
    ])
    expect(await clean('image/jpeg', withThumbnail)).toEqual({ bytes: jpeg, size: asStored })
  })

  it('keeps scans with restarts, fill bytes and damage that decoders tolerate', async () => {
    const scan = jpeg.indexOf(latin1('\xff\xda')) + 2 + 12
    for (const part of ['\xff\xd0', '\xff\xd7ab', '\xff\xff\xd3', '\xff\x05', '\xff\0\xff\0']) {
      const bytes = Buffer.concat([
        jpeg.subarray(0, scan + 5),
        latin1(part),
        jpeg.subarray(scan + 5),
      ])
      expect(await read('image/jpeg', bytes, undefined, 1)).toEqual({ bytes, size: asStored })
    }
  })

  it.each([
    ['an unknown segment', segment(0xf7, 'x')],
    ['a segment without a length', latin1('\xff\xfe\0\x01')],
    ['a second start of the image', latin1('\xff\xd8')],
    ['tables for arithmetic coding, which no browser supports', segment(0xcc, SECRET)],
  ])('rejects %s, because metadata cannot be found there', async (_what, extra) => {
    await expect(read('image/jpeg', jpegWith(jpeg, extra))).rejects.toThrow(
      /^The image is damaged: .*send the new file\.$/,
    )
  })

  it.each([
    ['restart interval', segment(0xdd, `\0\x08${SECRET}`)],
    ['number of lines', segment(0xdc, `\0\x10${SECRET}`)],
    ['quantization table', segment(0xdb, `\0${'\x01'.repeat(64)}\x01${SECRET}`)],
    ['Huffman table', segment(0xc4, `\0\x01${'\0'.repeat(15)}\x05\x01${SECRET}`)],
  ])('rejects a %s that is longer than declared', async (_what, extra) => {
    await expect(read('image/jpeg', jpegWith(jpeg, extra))).rejects.toThrow(
      'a part of it has a wrong length',
    )
  })
})

describe('cleaning a PNG', () => {
  it.each([
    ['tEXt', pngChunk('tEXt', `Comment\0${SECRET}`)],
    ['zTXt', pngChunk('zTXt', SECRET)],
    ['iTXt', pngChunk('iTXt', `XML:com.adobe.xmp\0\0\0\0\0${SECRET}`)],
    ['tIME', pngChunk('tIME', SECRET)],
    ['eXIf', pngChunk('eXIf', exif(1))],
    ['content credentials', pngChunk('caBX', SECRET)],
    ['unknown chunks', pngChunk('prVt', SECRET)],
  ])('removes %s', async (_what, chunk) => {
    expect(await clean('image/png', png({ before: [chunk] }))).toEqual({
      bytes: png(),
      size: asStored,
    })
    expect(await clean('image/png', png({ after: [chunk] }))).toEqual({
      bytes: png(),
      size: asStored,
    })
    expect(await clean('image/png', Buffer.concat([png(), chunk]))).toEqual({
      bytes: png(),
      size: asStored,
    })
  })

  it.each([2, 3, 4, 5, 6, 7, 8])('keeps the orientation %i', async (orientation) => {
    const bare = pngChunk('eXIf', bareExif(orientation))
    const size = orientation < 5 ? asStored : rotated
    expect(
      await clean('image/png', png({ before: [pngChunk('eXIf', exif(orientation))] })),
    ).toEqual({
      bytes: png({ before: [bare] }),
      size,
    })
    // Browsers ignore an orientation after the pixels.
    expect(await clean('image/png', png({ after: [pngChunk('eXIf', exif(orientation))] }))).toEqual(
      {
        bytes: png({ after: [bare] }),
        size: asStored,
      },
    )
  })

  it('ignores an orientation with a wrong checksum, as browsers do', async () => {
    const chunk = pngChunk('eXIf', exif(6))
    chunk.writeUInt8(chunk.readUInt8(chunk.byteLength - 1) ^ 1, chunk.byteLength - 1)
    expect(await clean('image/png', png({ before: [chunk] }))).toEqual({
      bytes: png(),
      size: asStored,
    })
  })

  it('keeps colors, density, transparency and animation', async () => {
    const types = [
      'cICP',
      'iCCP',
      'sRGB',
      'gAMA',
      'cHRM',
      'sBIT',
      'mDCV',
      'cLLI',
      'PLTE',
      'tRNS',
      'bKGD',
      'hIST',
      'pHYs',
    ]
    const before = [...types, 'acTL', 'fcTL'].map((type) => pngChunk(type, 'some data'))
    const after = ['fcTL', 'fdAT'].map((type) => pngChunk(type, 'some data'))
    const bytes = png({ before, after })
    expect(await read('image/png', bytes)).toEqual({ bytes, size: asStored })
  })

  it.each([
    ['an unknown critical chunk', pngChunk('CgBI')],
    ['a chunk without a name', pngChunk('\0\0\0\0')],
    ['a chunk that is too long', Buffer.concat([Buffer.from('ffffffff', 'hex'), latin1('tEXt')])],
  ])('rejects %s', async (_what, chunk) => {
    await expect(read('image/png', png({ before: [chunk] }))).rejects.toThrow(
      'The image is damaged',
    )
  })

  it('removes metadata from the end chunk', async () => {
    const bytes = Buffer.concat([png().subarray(0, -12), pngChunk('IEND', SECRET)])
    expect(await clean('image/png', bytes)).toEqual({ bytes: png(), size: asStored })
  })
})

describe('cleaning a GIF', () => {
  const frame = gif.indexOf(latin1('!\xf9'))
  const gifWith = (...extras: Uint8Array[]): Buffer =>
    Buffer.concat([gif.subarray(0, frame), ...extras, gif.subarray(frame)])
  const block = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), latin1(text)])

  it.each([
    ['a comment', Buffer.concat([latin1('!\xfe'), block(SECRET), block('more'), block('')])],
    ['XMP', Buffer.concat([latin1('!\xff'), block('XMP DataXMP'), block(SECRET), block('')])],
    [
      'an application of another length',
      Buffer.concat([latin1('!\xff'), block('short'), block(SECRET), block('')]),
    ],
    [
      'plain text, which no browser draws',
      Buffer.concat([latin1('!\x01'), block('x'.repeat(12)), block(SECRET), block('')]),
    ],
    [
      'a repetition of another length',
      Buffer.concat([latin1('!\xff'), block('NETSCAPE2.0'), block(SECRET), block('')]),
    ],
    ['an unknown extension', Buffer.concat([latin1('!\x99'), block(SECRET), block('')])],
  ])('removes %s', async (_what, extra) => {
    expect(await clean('image/gif', gifWith(extra))).toEqual({ bytes: gif, size: asStored })
  })

  it('removes metadata after the end, and after an invalid block type', async () => {
    expect(await clean('image/gif', Buffer.concat([gif, latin1(SECRET)]))).toEqual({
      bytes: gif,
      size: asStored,
    })
    const broken = Buffer.concat([gif.subarray(0, -1), latin1(`\0${SECRET}`)])
    expect(await clean('image/gif', broken)).toEqual({ bytes: gif, size: asStored })
  })

  it('keeps the loop count and the color profile', async () => {
    const bytes = gifWith(
      Buffer.concat([latin1('!\xff'), block('NETSCAPE2.0'), block('\x01\x05\0'), block('')]),
      Buffer.concat([latin1('!\xff'), block('ICCRGBG1012'), block('a profile'), block('')]),
    )
    expect(await read('image/gif', bytes)).toEqual({ bytes, size: asStored })
  })

  it('removes metadata after the loop count and the control of a frame', async () => {
    const parts = (secret: Uint8Array): Buffer =>
      gifWith(
        Buffer.concat([
          latin1('!\xff'),
          block('NETSCAPE2.0'),
          block('\x01\x05\0'),
          secret,
          block(''),
        ]),
        Buffer.concat([latin1('!\xf9'), block('\x04\x0a\0\0'), secret, block('')]),
      )
    expect(await clean('image/gif', parts(block(SECRET)))).toEqual({
      bytes: parts(latin1('')),
      size: asStored,
    })
  })
})

describe('cleaning a WebP', () => {
  const pixels = lossyWebp.subarray(12)
  const header = (flags: number): Buffer => extendedHeader(flags, 24, 16)

  it.each([
    ['EXIF', 'EXIF', exif(1)],
    ['XMP', 'XMP ', latin1(SECRET)],
    ['an unknown chunk', 'abcd', latin1(`${SECRET}!`)],
    ['EXIF too short for an orientation', 'EXIF', latin1(SECRET)],
  ])('overwrites %s', async (_what, type, data) => {
    const secret = riffChunk(type, data)
    expect(await clean('image/webp', webp(header(0x2c), pixels, secret))).toEqual({
      bytes: webp(header(0x28), pixels, riffChunk('JUNK', Buffer.alloc(data.byteLength))),
      size: asStored,
    })
    expect(
      (await clean('image/webp', webp(header(0x2c), secret, pixels))).bytes.includes(pixels),
    ).toBe(true)
    expect((await clean('image/webp', webp(pixels, secret))).size).toEqual(asStored)
  })

  it('removes metadata after the end', async () => {
    expect(await clean('image/webp', Buffer.concat([alphaWebp, latin1(SECRET)]))).toEqual({
      bytes: alphaWebp,
      size: asStored,
    })
    const tail = webp(pixels, latin1('abc'))
    expect((await read('image/webp', tail)).bytes).toEqual(webp(pixels, Buffer.alloc(3)))
  })

  it.each([2, 3, 4, 5, 6, 7, 8])(
    'keeps the orientation %i, which browsers ignore in a WebP',
    async (orientation) => {
      for (const data of [
        exif(orientation),
        Buffer.concat([latin1('Exif\0\0'), exif(orientation, 'II')]),
      ]) {
        const bare = Buffer.alloc(data.byteLength)
        bare.set(bareExif(orientation))
        expect(await clean('image/webp', webp(header(8), pixels, riffChunk('EXIF', data)))).toEqual(
          {
            bytes: webp(header(8), pixels, riffChunk('EXIF', bare)),
            size: asStored,
          },
        )
      }
    },
  )

  it('removes metadata from frames', async () => {
    const still = losslessWebp.subarray(12)
    const animationWith = (chunk: Buffer): Buffer =>
      webp(
        extendedHeader(2, 9, 5),
        riffChunk('ANIM', Buffer.alloc(6)),
        animationFrame(9, 5, still, chunk),
        animationFrame(9, 5, still),
      )
    expect(await clean('image/webp', animationWith(riffChunk('abcd', SECRET)))).toEqual({
      bytes: animationWith(riffChunk('JUNK', Buffer.alloc(SECRET.length))),
      size: { width: 9, height: 5 },
    })
  })

  it('keeps the color profile', async () => {
    const bytes = webp(header(0x20), riffChunk('ICCP', 'a profile'), pixels)
    expect(await read('image/webp', bytes)).toEqual({ bytes, size: asStored })
  })

  it('rejects chunks that are longer than declared', async () => {
    const long = (type: string, length: number): Buffer =>
      riffChunk(type, Buffer.concat([header(2).subarray(8, 8 + length), latin1(SECRET)]))
    for (const bytes of [
      webp(long('VP8X', 10), pixels),
      webp(header(2), long('ANIM', 6), pixels),
    ]) {
      await expect(read('image/webp', bytes)).rejects.toThrow('The image is damaged')
    }
  })

  it('rejects chunks that extend beyond the end', async () => {
    const bytes = webp(pixels, riffChunk('XMP ', SECRET))
    bytes.writeUInt32LE(bytes.byteLength - 12, 4)
    await expect(read('image/webp', bytes)).rejects.toThrow('The image is damaged')
  })
})
