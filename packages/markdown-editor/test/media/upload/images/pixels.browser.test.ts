import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { noChromium, sharedChromium } from '../../../../../../tests/support/chromium.ts'
import {
  animationFrame,
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
const text = Buffer.from(SECRET)
const still = losslessWebp.subarray(12)
const scan = jpeg.indexOf('ffda', 0, 'hex')
const lastScan = progressiveJpeg.lastIndexOf('ffda', undefined, 'hex')
const gifComment = Buffer.concat([
  Buffer.from([0x21, 0xfe, text.byteLength]),
  text,
  Buffer.alloc(1),
])
const gifFrame = gif.indexOf('21f9', 0, 'hex')

const gifWithOffset = Buffer.concat([gif.subarray(0, gifFrame), gifComment, gif.subarray(gifFrame)])
gifWithOffset.writeUInt8(6, gifWithOffset.indexOf(',', gifFrame + gifComment.byteLength) + 1)

const FILES: [string, string, Buffer][] = [
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((orientation): [string, string, Buffer] => [
    `a JPEG of orientation ${orientation}`,
    'image/jpeg',
    jpegWith(
      jpeg,
      exifSegment(exif(orientation, orientation % 2 ? 'II' : 'MM')),
      segment(0xfe, SECRET),
    ),
  ]),
  [
    'a JPEG with two EXIF segments',
    'image/jpeg',
    jpegWith(jpeg, exifSegment(exif(1)), exifSegment(exif(6))),
  ],
  [
    'a JPEG with two EXIF segments in reverse order',
    'image/jpeg',
    jpegWith(jpeg, exifSegment(exif(6)), exifSegment(exif(1))),
  ],
  ['a JPEG with broken EXIF', 'image/jpeg', jpegWith(jpeg, exifSegment(exif(6).subarray(0, 30)))],
  [
    'a JPEG with EXIF just before its pixels',
    'image/jpeg',
    Buffer.concat([jpeg.subarray(0, scan), exifSegment(exif(8)), jpeg.subarray(scan)]),
  ],
  [
    'a progressive JPEG with EXIF and a comment between its scans',
    'image/jpeg',
    Buffer.concat([
      progressiveJpeg.subarray(0, lastScan),
      exifSegment(exif(6)),
      segment(0xfe, SECRET),
      progressiveJpeg.subarray(lastScan),
      jpeg,
    ]),
  ],
  [
    'a JPEG with bytes outside of segments',
    'image/jpeg',
    jpegWith(jpeg, text, Buffer.from('ff00ffff', 'hex')),
  ],
  [
    'a JPEG whose scan is cut off',
    'image/jpeg',
    jpegWith(jpeg, segment(0xfe, SECRET)).subarray(0, -20),
  ],
  [
    'a PNG of orientation 1',
    'image/png',
    png({ before: [pngChunk('eXIf', exif(1)), pngChunk('tEXt', SECRET)] }),
  ],
  [
    'a PNG of orientation 6',
    'image/png',
    png({ before: [pngChunk('eXIf', exif(6)), pngChunk('tEXt', SECRET)] }),
  ],
  [
    'a PNG whose orientation comes after its pixels',
    'image/png',
    png({ after: [pngChunk('eXIf', exif(6)), pngChunk('tEXt', SECRET)] }),
  ],
  [
    'a PNG whose EXIF has a wrong checksum',
    'image/png',
    png({ before: [Buffer.concat([pngChunk('eXIf', exif(6)).subarray(0, -4), Buffer.alloc(4)])] }),
  ],
  [
    'a PNG with a gamma',
    'image/png',
    png({ before: [pngChunk('gAMA', Buffer.from('0000d6d8', 'hex')), pngChunk('tIME', SECRET)] }),
  ],
  [
    'a PNG that is cut off',
    'image/png',
    png({ before: [pngChunk('tEXt', SECRET)] }).subarray(0, -60),
  ],
  ['an animated GIF whose first frame exceeds the canvas', 'image/gif', gifWithOffset],
  [
    'an animated GIF',
    'image/gif',
    Buffer.concat([gif.subarray(0, gifFrame), gifComment, gif.subarray(gifFrame), text]),
  ],
  [
    'an animated GIF without its end',
    'image/gif',
    Buffer.concat([gif.subarray(0, -1), Buffer.alloc(1), text]),
  ],
  [
    'a lossy WebP',
    'image/webp',
    webp(
      extendedHeader(12, 24, 16),
      lossyWebp.subarray(12),
      riffChunk('EXIF', exif(6)),
      riffChunk('XMP ', SECRET),
    ),
  ],
  ['a lossless WebP', 'image/webp', webp(still, riffChunk('abcd', SECRET))],
  [
    'a WebP with alpha',
    'image/webp',
    webp(
      extendedHeader(28, 24, 16),
      alphaWebp.subarray(30),
      riffChunk('EXIF', exif(1)),
      riffChunk('XMP ', SECRET),
    ),
  ],
  [
    'an animated WebP',
    'image/webp',
    webp(
      extendedHeader(2, 9, 5),
      riffChunk('ANIM', Buffer.alloc(6)),
      animationFrame(9, 5, still),
      animationFrame(9, 5, still, riffChunk('abcd', SECRET)),
    ),
  ],
]

/** A browser function. Returns the displayed size and pixels, and the pixels of all frames. */
const DECODE = `async ([type, base64, isCut]) => {
  const image = new Image()
  image.src = 'data:' + type + ';base64,' + base64
  await new Promise((resolve, reject) => Object.assign(image, { onload: resolve, onerror: () => reject(new Error('not shown')) }))
  const canvas = document.createElement('canvas')
  const { naturalWidth: width, naturalHeight: height } = image
  Object.assign(canvas, { width, height })
  const context = canvas.getContext('2d')
  context.drawImage(image, 0, 0)
  const shown = context.getImageData(0, 0, width, height).data.join()
  const frames = []
  const data = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const decoder = new ImageDecoder({ type, data })
  await decoder.tracks.ready
  for (let frameIndex = 0; !isCut && frameIndex < decoder.tracks.selectedTrack.frameCount; frameIndex++) {
    const { image: frame } = await decoder.decode({ frameIndex })
    const bytes = new Uint8Array(frame.allocationSize({ format: 'RGBA' }))
    await frame.copyTo(bytes, { format: 'RGBA' })
    frames.push(bytes.join())
    frame.close()
  }
  return { width, height, shown, frames }
}`

interface Decoded {
  readonly width: number
  readonly height: number
  readonly shown: string
  readonly frames: readonly string[]
}

describe('a browser that displays a cleaned image', () => {
  let page: Page

  beforeAll(async () => {
    if (noChromium) return
    page = await (await sharedChromium()).newPage()
    // Decoding frame by frame needs a secure context.
    await page.route('https://images.test/', (route) =>
      route.fulfill({ contentType: 'text/html', body: '' }),
    )
    await page.goto('https://images.test/')
  })
  afterAll(() => page?.close())
  beforeEach((context) => {
    if (noChromium) context.skip(noChromium)
  })

  const decode = (type: string, bytes: Buffer, isCut: boolean): Promise<Decoded> =>
    page.evaluate(`(${DECODE})(${JSON.stringify([type, bytes.toString('base64'), isCut])})`)

  it.each(FILES)(
    'decodes the same pixels of %s, and the size that was read',
    async (name, type, bytes) => {
      const { bytes: cleaned, size } = await read(type, bytes)
      expect(cleaned.includes('SECRET')).toBe(false)
      const isCut = name.endsWith('cut off')
      const [before, after] = [await decode(type, bytes, isCut), await decode(type, cleaned, isCut)]
      expect(after).toEqual(before)
      expect(after.frames).toHaveLength(isCut ? 0 : name.includes('animated') ? 2 : 1)
      expect({ width: after.width, height: after.height }).toEqual(size)
    },
  )
})
