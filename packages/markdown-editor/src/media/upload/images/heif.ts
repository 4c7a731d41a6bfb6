import { type QuillgateError, serverError } from '@quillgate/server/core'
import type { ByteEditor, Walk } from './byte-editor.ts'
import { cleanMeta, emptyDocument, type MetadataRange } from './heif-meta.ts'
import { DamagedImageError, type ImageMeter } from './image-meter.ts'

/**
 * The longest directory. Real ones have some hundred bytes, and some ten thousand for a thousand
 * tiles.
 */
const MAX_META_LENGTH = 256 * 1024

/** Room for a list of 250 brands; real ones have about ten. */
const MAX_FTYP_LENGTH = 1024

/**
 * An AVIF or HEIC of still images (ISO/IEC 23008-12). Its directory tells by positions in the file
 * where everything lies, so that nothing may be left out: EXIF and XMP become empty documents of
 * the same length, and boxes that are no part of the image become free space.
 *
 * Where this cannot be done in one pass (image sequences, metadata before the directory), the image
 * is refused.
 */
export function* walkHeif(io: ByteEditor, image: ImageMeter): Walk {
  if (boxType(yield* io.peek(8)) !== 'ftyp')
    throw new DamagedImageError('it does not begin as an AVIF or HEIC')
  let metadata: MetadataRange[] = []
  let hasData = false
  while (yield* io.hasMore()) {
    const type = boxType(yield* io.peek(8))
    const length = yield* boxLength(io)
    if (type === 'meta') {
      const { box, metadata: found } = cleanMeta(yield* peekMeta(io, length), image)
      if (found.some(({ start }) => start < io.position + length)) throw notCleanable()
      metadata = found
      io.write(box)
      yield* io.drop(length)
    } else if (type === 'ftyp' && length <= MAX_FTYP_LENGTH) yield* io.keep(length)
    else if (type === 'mdat' && image.size) yield* keepData(io, io.position + length, metadata)
    else if (type === 'mdat' || type === 'moov' || type === 'moof') throw notCleanable()
    else if (length === Number.POSITIVE_INFINITY) return
    else yield* makeFree(io, length)
    hasData ||= type === 'mdat'
    image.isShowable = hasData && image.size !== null
  }
  if (!image.isShowable) throw new DamagedImageError('its end is missing')
}

function boxType(head: Buffer): string {
  return head.toString('latin1', 4, 8)
}

/** The length of a box with its head; `Infinity` when it reaches to the end of the file. */
function* boxLength(io: ByteEditor): Walk<number> {
  const length = (yield* io.peek(8)).readUInt32BE(0)
  if (length === 0) return Number.POSITIVE_INFINITY
  if (length !== 1) {
    if (length < 8) throw new DamagedImageError('its parts do not fit together')
    return length
  }
  const long = Number((yield* io.peek(16)).readBigUInt64BE(8))
  if (long < 16) throw new DamagedImageError('its parts do not fit together')
  return long
}

function* peekMeta(io: ByteEditor, length: number): Walk<Buffer> {
  if (length > MAX_META_LENGTH || length < 12)
    throw new DamagedImageError('its directory is too long or too short')
  return yield* io.peek(length)
}

/**
 * Keeps a box of data but for the metadata in it.
 *
 * @param end where it ends, as a position in the file
 * @param metadata what is still to come, the last first; what was met is taken off
 */
function* keepData(io: ByteEditor, end: number, metadata: MetadataRange[]): Walk {
  for (let next = metadata.at(-1); next && next.start < end; next = metadata.at(-1)) {
    const [from, to] = [Math.max(next.start, io.position), Math.min(next.start + next.length, end)]
    yield* io.keep(from - io.position)
    yield* overwriteDocument(io, to - from, next.isExif)
    if (next.start + next.length > end) break
    metadata.pop()
  }
  yield* end === Number.POSITIVE_INFINITY ? io.keepRest() : io.keep(end - io.position)
}

function* overwriteDocument(io: ByteEditor, length: number, isExif: boolean): Walk {
  const { beginning, filling } = emptyDocument(isExif, length)
  io.write(beginning)
  yield* io.drop(beginning.byteLength)
  yield* io.overwrite(length - beginning.byteLength, filling)
}

/** Makes of a box free space of the same length. */
function* makeFree(io: ByteEditor, length: number): Walk {
  const isLong = (yield* io.peek(8)).readUInt32BE(0) === 1
  yield* io.keep(4)
  io.write(Buffer.from('free', 'latin1'))
  yield* io.drop(4)
  if (isLong) yield* io.keep(8)
  yield* io.overwrite(length - (isLong ? 16 : 8))
}

function notCleanable(): QuillgateError {
  const detail =
    'The metadata of this image cannot be removed. Save it as a PNG, JPEG or WebP and send the new file.'
  return serverError('unsupported_media_type', detail)
}
