import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { read } from './read.ts'

const XMP =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>Ada at home</x:xmpmeta>'

function photo(format: 'jpeg' | 'png' | 'webp', options: object): Promise<Buffer> {
  return sharp({ create: { width: 40, height: 20, channels: 3, background: 'teal' } })
    .withExif({
      IFD0: { Artist: 'Ada at home', Model: 'Camera of Ada' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 3230/100' },
    })
    .withMetadata({ orientation: 6 })
    .withXmp(XMP)
    .withIccProfile('p3')
    .toFormat(format, options)
    .toBuffer()
}

describe('a cleaned image, read by libvips', () => {
  it.each([
    ['jpeg', {}],
    ['jpeg', { progressive: true }],
    ['png', {}],
    ['png', { palette: true, progressive: true }],
    ['webp', {}],
    ['webp', { lossless: true }],
  ] as const)(
    'keeps only the pixels, the profile and the orientation of a %s with %j',
    async (format, options) => {
      const original = await photo(format, options)
      const before = await sharp(original).metadata()
      expect(original.includes('Ada at home')).toBe(true)
      expect([before.exif, before.xmp, before.icc].every((found) => found !== undefined)).toBe(true)

      const { bytes: stripped } = await read(
        `image/${format}`,
        Buffer.concat([original, Buffer.from('Ada after the end')]),
      )
      const after = await sharp(stripped).metadata()
      expect(stripped.includes('Ada')).toBe(false)
      expect(after.xmp).toBeUndefined()
      // In a WebP, the EXIF data keeps its length. It begins with the orientation, then has zeros.
      expect(after.exif?.subarray(40).every((byte) => byte === 0)).not.toBe(false)
      expect(after.orientation).toBe(6)
      expect(after.icc).toEqual(before.icc)
      const [pixelsAfter, pixelsBefore] = await Promise.all(
        [stripped, original].map((bytes) => sharp(bytes).raw().toBuffer()),
      )
      expect(pixelsAfter?.equals(pixelsBefore ?? Buffer.alloc(0))).toBe(true)
    },
  )
})
