import { ByteEditor, EndOfFile, type Walk } from './byte-editor.ts'
import { walkGif } from './gif.ts'
import { walkHeif } from './heif.ts'
import { DamagedImageError, ImageMeter, type ImageSize } from './image-meter.ts'
import { walkJpeg } from './jpeg.ts'
import { walkPng } from './png.ts'
import { walkWebp } from './webp.ts'

/** An image as it streams through. */
export interface ReadImage {
  /**
   * Its bytes, to be read once. Reading fails with 422 `validation_error` where the image turns out
   * to be too large, and with 415 `unsupported_media_type` where it is damaged or tells no size.
   */
  readonly body: AsyncIterable<Uint8Array>
  /** Its size as it is shown; null before the body was read to its end. */
  shownSize(): ImageSize | null
}

type ImageWalk = (io: ByteEditor, image: ImageMeter) => Walk

/**
 * The most pixels of a still image. All frames of an animation together may have twenty times as
 * many.
 */
const MAX_IMAGE_PIXELS = 50_000_000

// One walk through a file finds its size, its metadata and its end. Libraries that read sizes would
// need a second one, and none looks at frames and parts: image-size wants the bytes in memory,
// probe-image-size stops at the first size it meets.
const WALKS: Readonly<Record<string, ImageWalk>> = {
  'image/png': walkPng,
  'image/apng': walkPng,
  'image/jpeg': walkJpeg,
  'image/gif': walkGif,
  'image/webp': walkWebp,
  'image/avif': walkHeif,
  'image/heic': walkHeif,
  'image/heif': walkHeif,
  'image/heic-sequence': walkHeif,
  'image/heif-sequence': walkHeif,
  'image/bmp': walkBmp,
}

/**
 * Reads the size of an image as it streams through, refuses one that is too large to decode, and
 * removes its metadata: place, time, camera, owner, comments, thumbnails. The colour profile and
 * the orientation stay, and pixels are not touched. Memory is bounded, whatever the file says.
 *
 * @param type canonical media type, which the first bytes of the body confirm
 * @param maxPixels the most pixels of a still image; smaller in tests
 * @returns null for types that are not read: anything but images, and images of a format that
 * browsers do not show
 * @example
 * const image = readImage('image/jpeg', body)
 */
export function readImage(
  type: string,
  body: AsyncIterable<Uint8Array>,
  maxPixels = MAX_IMAGE_PIXELS,
): ReadImage | null {
  const walk = Object.hasOwn(WALKS, type) ? WALKS[type] : undefined
  if (!walk) return null
  const meter = new ImageMeter(maxPixels)
  let isRead = false
  const read = async function* (): AsyncGenerator<Uint8Array> {
    yield* follow(body, meter, (io) => walk(io, meter))
    isRead = true
  }
  return { body: read(), shownSize: () => (isRead ? meter.shownSize : null) }
}

async function* follow(
  body: AsyncIterable<Uint8Array>,
  meter: ImageMeter,
  walk: (io: ByteEditor) => Walk,
): AsyncGenerator<Uint8Array> {
  const io = new ByteEditor()
  const steps = walk(io)
  let isDone = goOn(steps, io, meter, true)
  for await (const chunk of body) {
    // Bytes after the end of an image are not a part of it.
    if (!isDone) {
      io.feed(chunk)
      isDone = goOn(steps, io, meter, true)
    }
    const edited = io.takeEdited()
    if (edited.byteLength > 0) yield edited
  }
  if (!isDone) goOn(steps, io, meter, false)
  const rest = io.takeEdited()
  if (rest.byteLength > 0) yield rest
}

/**
 * Continues a walk until it needs more bytes.
 *
 * @param hasMore false at the end of the file
 * @returns true when it has come to its end
 */
function goOn(steps: Walk, io: ByteEditor, meter: ImageMeter, hasMore: boolean): boolean {
  try {
    const isDone = steps.next(hasMore).done ?? false
    if (isDone && !meter.size) throw new DamagedImageError('it does not tell its size')
    return isDone
  } catch (error) {
    const isTooShort = error instanceof EndOfFile
    if (!isTooShort && !(error instanceof DamagedImageError)) throw error
    if (!meter.isShowable) throw isTooShort ? new DamagedImageError('its end is missing') : error
    if (meter.ending) io.write(meter.ending)
    return true
  }
}

/** Length of the oldest header, of OS/2; all others begin as that of Windows. */
const CORE_HEADER = 12

/** A BMP. It has nowhere to put metadata, and is kept as it is. */
function* walkBmp(io: ByteEditor, image: ImageMeter): Walk {
  const start = yield* io.peek(26)
  if (start.toString('latin1', 0, 2) !== 'BM')
    throw new DamagedImageError('it does not begin as a BMP')
  if (start.readUInt32LE(14) === CORE_HEADER)
    image.measure(start.readUInt16LE(18), start.readUInt16LE(20))
  // A negative height: the first row comes first.
  else image.measure(start.readUInt32LE(18), Math.abs(start.readInt32LE(22)))
  yield* io.keepRest()
}
