import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  checks,
  field,
  type Input,
  loadPackage,
  optional,
  parse,
  required,
  type Values,
} from '@quillgate/server/core'
import { storageFailed } from '@quillgate/storage'
import pLimit from 'p-limit'
import { ValidationError } from '../errors.ts'
import type { TransformedFile, TransformUpload } from '../media/upload/upload-handler.ts'

const FORMAT_NAMES = ['jpeg', 'png', 'webp', 'avif'] as const
/** The largest side of an image that all formats can have, in pixels. */
const MAX_SIDE = 16_383

const OPTIONS = {
  /** Most pixels across. */
  maxWidth: required(checks.whole(1, MAX_SIDE, 'pixels')),
  /** Most pixels down. */
  maxHeight: required(checks.whole(1, MAX_SIDE, 'pixels')),
  /**
   * How well smaller images are encoded, 1 to 100; by default as sharp does: 80, and 50 for AVIF.
   * PNG loses nothing.
   */
  quality: optional(checks.whole(1, 100)),
  /** The format of smaller images; by default they keep theirs. */
  format: optional(checks.oneOf(FORMAT_NAMES)),
  /** Images that are processed at once in this process; others wait on disk. */
  concurrency: field(checks.whole(1, 1000, 'images'), 2),
  /** Seconds after which an unfinished image is refused. */
  timeout: field(checks.whole(1, 3600, 'seconds'), 30),
}

/** Options of {@link resizeImages}. */
export type ResizeImagesOptions = Input<typeof OPTIONS>

type Sharp = typeof import('sharp').default

/** The names of the resized formats in sharp. The format that it finds must match the type. */
const FORMATS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
}
/** Whose EXIF orientation browsers follow. */
const TURNED: readonly string[] = ['image/jpeg', 'image/png']

/**
 * Returns a `transform` that makes images smaller while they are uploaded, by the optional peer
 * `sharp`: JPEG, PNG and WebP that are larger than the bounds. They keep their proportions, are
 * turned as they are shown, and have sRGB colours and no metadata. Smaller images, animations and
 * all other files stay as they are, byte for byte.
 *
 * A file that sharp cannot read is refused (422 `validation_error`). Meanwhile, an image is kept in
 * a file of the system's temporary folder.
 *
 * @throws ConfigurationError for wrong options
 * @example
 * class Uploads extends DefaultUploadHandler {
 *   readonly transform = resizeImages({ maxWidth: 2560, maxHeight: 2560 })
 * }
 */
export function resizeImages(input: ResizeImagesOptions): TransformUpload {
  const options = parse(OPTIONS, input, 'resizeImages')
  const limit = pLimit(options.concurrency)
  return async (file) => {
    if (!Object.hasOwn(FORMATS, file.type)) return file
    const { default: sharp } = await loadPackage('sharp', 'resizeImages', () => import('sharp'))
    const folder = await mkdtemp(join(tmpdir(), 'quillgate-image-')).catch((cause) =>
      Promise.reject(storageFailed(cause)),
    )
    const close = (): Promise<void> => rm(folder, { recursive: true, force: true })
    try {
      const path = join(folder, 'image')
      await spool(file.body, path)
      const { bytes, ...made } = await limit(() => shrink(sharp, path, file.type, options))
      if (bytes === null) return { ...made, ...fileAt(path, close) }
      await close()
      return { ...made, body: onlyOf(bytes) }
    } catch (error) {
      await close()
      throw error
    }
  }
}

async function spool(body: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  try {
    await pipeline(body, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  } catch (error) {
    // Errors of reading the body are passed on unchanged.
    const isOfDisk = error instanceof Error && 'syscall' in error && 'path' in error
    throw isOfDisk ? storageFailed(error) : error
  }
}

interface Shrunk {
  readonly type: string
  readonly width: number
  readonly height: number
  /** Null: the image stays as it is. */
  readonly bytes: Uint8Array | null
}

async function shrink(
  sharp: Sharp,
  path: string,
  type: string,
  options: Values<typeof OPTIONS>,
): Promise<Shrunk> {
  const {
    maxWidth,
    maxHeight,
    quality,
    format = type.slice('image/'.length) as (typeof FORMAT_NAMES)[number],
    timeout,
  } = options
  try {
    const image = sharp(path, { failOn: 'error', sequentialRead: true })
    const found = await image.metadata()
    if (found.format !== FORMATS[type]) throw new Error(`sharp reads it as ${found.format}.`)
    const isTurned = TURNED.includes(type)
    const { width, height } = isTurned ? found.autoOrient : found
    const isAnimated =
      (found.pages ?? 1) > 1 || (type === 'image/png' && (await isAnimatedPng(path)))
    if (isAnimated || (width <= maxWidth && height <= maxHeight))
      return { type, width, height, bytes: null }
    const upright = isTurned ? image.autoOrient() : image
    const { data, info } = await (format === 'jpeg'
      ? upright.flatten({ background: 'white' })
      : upright
    )
      .resize({ width: maxWidth, height: maxHeight, fit: 'inside', withoutEnlargement: true })
      // With a quality PNG would be reduced to a palette.
      .toFormat(format, quality === undefined || format === 'png' ? {} : { quality })
      .timeout({ seconds: timeout })
      .toBuffer({ resolveWithObject: true })
    return { type: `image/${format}`, width: info.width, height: info.height, bytes: data }
  } catch (cause) {
    const advice = 'Save it again in an image editor, or make it smaller, and send the new file.'
    throw new ValidationError(`The image cannot be made smaller. ${advice}`, { cause })
  }
}

/** Reads a file, which may turn out not to be needed. */
function fileAt(path: string, close: () => Promise<void>): Pick<TransformedFile, 'body' | 'close'> {
  const body = createReadStream(path)
  return {
    body,
    close() {
      body.destroy()
      return close()
    },
  }
}

async function* onlyOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

const SIGNATURE = 8
/** Length and type before the data of a chunk, the checksum after it. */
const [HEAD, TAIL] = [8, 4]
/** Real files have about ten before their pixels. */
const MAX_CHUNKS = 1000

/**
 * Whether a PNG has frames, which libvips does not see: `acTL` comes before the pixels (W3C PNG,
 * third edition, 11.3.6.1).
 */
async function isAnimatedPng(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const head = Buffer.alloc(HEAD)
    let at = SIGNATURE
    for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
      if ((await file.read(head, 0, HEAD, at)).bytesRead < HEAD) return false
      const type = head.toString('latin1', 4)
      if (type === 'acTL') return true
      if (type === 'IDAT') return false
      at += HEAD + head.readUInt32BE(0) + TAIL
    }
    return true
  } finally {
    await file.close()
  }
}
