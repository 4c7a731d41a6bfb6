import { type CleanableImage, isCleanableImage } from '../../../types/media-types.ts'
import { ByteEditor, type Reading } from './byte-editor.ts'
import { readGif } from './gif.ts'
import { DamagedImageError, ImageMeter } from './image-meter.ts'
import { readJpeg } from './jpeg.ts'
import { readPng } from './png.ts'
import { readWebp } from './webp.ts'

const MAX_IMAGE_PIXELS = 50_000_000

type Format = (io: ByteEditor, image: ImageMeter) => Reading

const FORMATS: Readonly<Record<CleanableImage, Format>> = {
  'image/png': readPng,
  'image/apng': readPng,
  'image/jpeg': readJpeg,
  'image/gif': readGif,
  'image/webp': readWebp,
}

/**
 * Removes the metadata of an image: location, time, camera, owner, comments and thumbnails. Keeps
 * the color profile and the orientation. Rejects an image that is too large to decode. Memory use
 * is limited.
 *
 * @param maxPixels the maximum number of pixels of a still image; tests pass a smaller value
 * @returns the cleaned `body`, whose reading throws 422 for a too large and 415 for an unreadable
 * image, and a function that returns the size as displayed, or null before the end of the body. Null
 * if the type is not an accepted image type
 */
export function readImage(
  type: string,
  body: AsyncIterable<Uint8Array>,
  maxPixels = MAX_IMAGE_PIXELS,
) {
  if (!isCleanableImage(type)) return null
  const format = FORMATS[type]
  const image = new ImageMeter(maxPixels)
  let isRead = false
  const read = async function* (): AsyncGenerator<Uint8Array> {
    yield* clean(body, image, format)
    isRead = true
  }
  return { body: read(), shownSize: () => (isRead ? image.shownSize : null) }
}

async function* clean(
  body: AsyncIterable<Uint8Array>,
  image: ImageMeter,
  format: Format,
): AsyncGenerator<Uint8Array> {
  const io = new ByteEditor()
  const reading = format(io, image)
  let isDone = false
  for await (const chunk of body) {
    if (isDone) continue // Bytes after the end of an image are dropped.
    isDone = advance(io, image, reading, chunk)
    const edited = io.takeEdited()
    if (edited.byteLength > 0) yield edited
  }
  if (isDone) return
  advance(io, image, reading, null)
  const rest = io.takeEdited()
  if (rest.byteLength > 0) yield rest
}

/**
 * Processes a chunk, or null at the end of the file. Returns true if the image is complete, or if
 * it is ended early because the rest is damaged.
 */
function advance(
  io: ByteEditor,
  image: ImageMeter,
  reading: Reading,
  chunk: Uint8Array | null,
): boolean {
  try {
    if (chunk === null) throw new DamagedImageError('its end is missing')
    const isDone = io.feed(chunk) && reading.next().done === true
    if (isDone && !image.size) throw new DamagedImageError('its size is missing')
    return isDone
  } catch (error) {
    if (!(error instanceof DamagedImageError) || !image.isShowable) throw error
    if (image.ending) io.write(image.ending)
    return true
  }
}
