import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { type ResizeImagesOptions, resizeImages } from '@quillgate/markdown-editor/images/sharp'
import sharp, { type Sharp } from 'sharp'
import { afterEach, describe, expect, it } from 'vitest'
import type {
  FileToTransform,
  TransformedFile,
  TransformUpload,
} from '../../src/media/upload/upload-handler.ts'
import { idOf, openEditor, type TestEditor } from '../editor-fixture.ts'

let opened: TestEditor | undefined
afterEach(async () => {
  await opened?.close()
  opened = undefined
})

const TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'text/plain']

async function send(transform: TransformUpload, type: string, bytes: Uint8Array<ArrayBuffer>) {
  opened ??= await openEditor({ allowedUploadTypes: TYPES }, { transform })
  const body = new FormData()
  body.set('file', new File([bytes], 'holiday.jpg', { type }))
  const response = await opened.request('POST', '/md-editor/upload', { body })
  const answer = (await response.json()) as Record<string, unknown> & { url: string }
  const medium = response.ok ? await opened.editor.media.get(idOf(answer.url)) : null
  const stored = response.ok
    ? Buffer.from(await (await opened.get(answer.url)).arrayBuffer())
    : null
  return { status: response.status, answer, medium, stored }
}

/** Left half red, right half blue, so that turns can be seen. */
function picture(width: number, height: number): Sharp {
  const half = {
    create: { width: Math.floor(width / 2), height, channels: 3, background: 'blue' },
  } as const
  return sharp({ create: { width, height, channels: 3, background: 'red' } }).composite([
    { input: half, gravity: 'east' },
  ])
}

async function bytesOf(image: Sharp): Promise<Uint8Array<ArrayBuffer>> {
  return Uint8Array.from(await image.toBuffer())
}

const small = resizeImages({ maxWidth: 100, maxHeight: 60 })

describe('resizeImages', () => {
  it.each(['jpeg', 'png', 'webp'] as const)(
    'makes a %s smaller that is larger than the bounds',
    async (format) => {
      const bytes = await bytesOf(picture(400, 120).toFormat(format))
      const { status, answer, medium, stored } = await send(small, `image/${format}`, bytes)
      expect(status).toBe(201)
      const size = { width: 100, height: 30 }
      expect(answer).toMatchObject({ type: `image/${format}`, ...size })
      expect(medium).toMatchObject({ type: `image/${format}`, size: stored?.byteLength, ...size })
      expect(await sharp(stored ?? '').metadata()).toMatchObject({
        format,
        ...size,
      })
    },
  )

  it('never makes an image larger: it stays as it is, byte for byte', async () => {
    const bytes = await bytesOf(picture(100, 60).jpeg())
    const { medium, stored } = await send(small, 'image/jpeg', bytes)
    expect(stored).toEqual(Buffer.from(bytes))
    expect(medium).toMatchObject({ width: 100, height: 60, size: bytes.byteLength })
  })

  it.each(['jpeg', 'png'] as const)('turns a %s as it is shown', async (format) => {
    const bytes = await bytesOf(picture(400, 200).toFormat(format).withMetadata({ orientation: 6 }))
    const { medium, stored } = await send(small, `image/${format}`, bytes)
    expect(medium).toMatchObject({ width: 30, height: 60 })
    const { data } = await sharp(stored ?? '')
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    const [top, bottom] = [data.subarray(0, 3), data.subarray(-3)]
    expect(top[0]).toBeGreaterThan(200) // red
    expect(bottom[2]).toBeGreaterThan(200) // blue
    expect((await sharp(stored ?? '').metadata()).orientation ?? 1).toBe(1)
  })

  it('leaves no metadata, and converts colours to sRGB', async () => {
    const tagged = picture(400, 200)
      .withIccProfile('p3')
      .withExif({ IFD0: { Artist: 'Ada at home' } })
    const { stored } = await send(small, 'image/jpeg', await bytesOf(tagged.jpeg()))
    const found = await sharp(stored ?? '').metadata()
    expect([found.width, found.space, found.exif, found.icc, found.xmp]).toEqual([
      100,
      'srgb',
      undefined,
      undefined,
      undefined,
    ])
    expect(stored?.includes('Ada')).toBe(false)
  })

  it('changes the format where asked to; type, extension and bytes agree, and what is clear becomes white', async () => {
    const toJpeg = resizeImages({ maxWidth: 50, maxHeight: 50, format: 'jpeg', quality: 90 })
    const clear = sharp({ create: { width: 200, height: 200, channels: 4, background: '#0000' } })
    const { answer, medium, stored } = await send(toJpeg, 'image/png', await bytesOf(clear.png()))
    expect(answer).toMatchObject({ type: 'image/jpeg', url: expect.stringMatching(/\.jpg$/) })
    expect(medium).toMatchObject({ type: 'image/jpeg', width: 50, height: 50 })
    expect(
      (
        await sharp(stored ?? '')
          .raw()
          .toBuffer()
      )[0],
    ).toBe(255)
  })

  it('leaves animations and other files alone', async () => {
    const frames = Buffer.concat([Buffer.alloc(200 * 200 * 3, 1), Buffer.alloc(200 * 200 * 3, 200)])
    const animated = sharp(frames, {
      raw: { width: 200, height: 400, channels: 3, pageHeight: 200 },
    })
    for (const format of ['webp', 'gif'] as const) {
      const bytes = await bytesOf(animated.clone().toFormat(format))
      const { medium, stored } = await send(small, `image/${format}`, bytes)
      expect(medium).toMatchObject({ type: `image/${format}`, width: 200, height: 200 })
      expect((await sharp(stored ?? '').metadata()).pages).toBe(2)
    }
    expect((await send(small, 'text/plain', new Uint8Array([65, 66]))).stored).toEqual(
      Buffer.from('AB'),
    )
  })

  it('refuses what it cannot read (422), and leaves nothing: no file, no row, nothing in the temporary folder', async () => {
    const broken = await bytesOf(picture(400, 300).png())
    broken.fill(0x55, broken.indexOf(0x78, 41) + 2, -20) // Its pixels, behind the head of their compression.
    const spooled = async () =>
      (await readdir(tmpdir())).filter((name) => name.startsWith('quillgate-image-'))
    const before = await spooled()
    const { status, answer } = await send(small, 'image/png', broken)
    expect(status).toBe(422)
    expect(answer).toMatchObject({ code: 'validation_error' })
    expect(await opened?.storedKeys()).toEqual([])
    expect(await spooled()).toEqual(before)
  })

  it('works on many images at once', async () => {
    const bytes = await bytesOf(picture(400, 120).jpeg())
    opened = await openEditor({ allowedUploadTypes: TYPES }, { transform: small })
    const all = await Promise.all(Array.from({ length: 8 }, () => send(small, 'image/jpeg', bytes)))
    expect(all.map(({ answer }) => answer['width'])).toEqual(Array(8).fill(100))
  })

  it.each([
    [{ maxWidth: 0, maxHeight: 10 }, 'maxWidth'],
    [{ maxWidth: 10, maxHeight: 1e6 }, 'maxHeight'],
    [{ maxWidth: 10, maxHeight: 10, quality: 101 }, 'quality'],
    [{ maxWidth: 10, maxHeight: 10, format: 'gif' as 'webp' }, 'format'],
    [{ maxWidth: 10, maxHeight: 10, concurrency: 0 }, 'concurrency'],
    [{ maxWidth: 10, maxHeight: 10, timeout: 0.5 }, 'timeout'],
    [{ maxWidth: 10 } as ResizeImagesOptions, 'maxHeight'],
    [{ maxWidth: 10, maxHeight: 10, maxwith: 5 } as ResizeImagesOptions, 'maxwith'],
  ])('names the option that cannot be: %j', (options, name) => {
    expect(() => resizeImages(options)).toThrow(`resizeImages.${name}`)
  })
})

describe('the transform of an upload handler', () => {
  it('may give no type that can run script', async () => {
    const toHtml: TransformUpload = ({ body }) => ({ type: 'text/html', body })
    const { status } = await send(toHtml, 'text/plain', new Uint8Array([65]))
    expect(status).toBe(500)
    expect(await opened?.storedKeys()).toEqual([])
  })

  it('decides on bytes, size and checksum', async () => {
    let closed = 0
    const upper: TransformUpload = ({ type, body }) => ({
      type,
      body: (async function* () {
        for await (const chunk of body)
          yield Buffer.from(Buffer.from(chunk).toString().toUpperCase())
      })(),
      close: async () => {
        closed++
      },
    })
    const { stored, medium } = await send(upper, 'text/plain', new Uint8Array([97, 98]))
    expect(stored).toEqual(Buffer.from('AB'))
    expect(medium?.size).toBe(2)
    expect(closed).toBe(1)
  })

  it('may give an instance of a class, whose members are not its own', async () => {
    class Reversed implements TransformedFile {
      readonly #file: FileToTransform
      closed = 0

      constructor(file: FileToTransform) {
        this.#file = file
      }

      get type(): string {
        return this.#file.type
      }

      get body(): AsyncIterable<Uint8Array> {
        return this.#reversed()
      }

      async *#reversed(): AsyncGenerator<Uint8Array> {
        for await (const chunk of this.#file.body) yield Buffer.from(chunk).reverse()
      }

      async close(): Promise<void> {
        this.closed++
      }
    }
    const made: Reversed[] = []
    const reverse: TransformUpload = (file) => {
      const reversed = new Reversed(file)
      made.push(reversed)
      return reversed
    }
    const { stored } = await send(reverse, 'text/plain', new Uint8Array([97, 98]))
    expect(stored).toEqual(Buffer.from('ba'))
    expect(made.map(({ closed }) => closed)).toEqual([1])
  })
})
