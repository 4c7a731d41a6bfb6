import type { ByteEditor, Walk } from './byte-editor.ts'
import { MAX_EXIF_LENGTH, orientationOnly, readOrientation } from './exif.ts'
import { DamagedImageError, type ImageMeter, type ImageSize } from './image-meter.ts'

/** The bytes of a chunk before its data: type and length. */
const HEAD = 8

/** The type of chunks that only take up room, in all RIFF files. */
const JUNK = Buffer.from('JUNK')

/**
 * Lengths in bytes: the header of an extended file, and the chunk with the parameters of an
 * animation.
 */
const [EXTENDED_LENGTH, ANIMATION_LENGTH] = [10, 6]

/** Says in the header of an extended file that there is XMP. */
const XMP_FLAG = 0x04

/**
 * A WebP (RFC 9649), animated or not. The file tells its own length in its first bytes, before
 * anything is known of the metadata at its end. So these are not left out but overwritten: EXIF by
 * the orientation, if that is not as usual, and everything else that is not listed here by empty
 * chunks, which decoders skip.
 */
export function* walkWebp(io: ByteEditor, image: ImageMeter): Walk {
  const start = yield* io.peek(12)
  if (start.toString('latin1', 0, 4) !== 'RIFF' || start.toString('latin1', 8, 12) !== 'WEBP') {
    throw new DamagedImageError('it does not begin as a WebP')
  }
  const end = HEAD + padded(start.readUInt32LE(4))
  yield* io.keep(12)
  yield* walkChunks(io, image, end, null)
}

/**
 * @param end where the chunks end, as a position in the file
 * @param frame the size of the animation's frame that they are of; null: they are the file's own
 */
function* walkChunks(
  io: ByteEditor,
  image: ImageMeter,
  end: number,
  frame: ImageSize | null,
): Walk {
  while (io.position + HEAD <= end) {
    const head = yield* io.peek(HEAD)
    const [type, length] = [head.toString('latin1', 0, 4), head.readUInt32LE(4)]
    // The last one may lack the byte that makes its length even.
    const whole = Math.min(HEAD + padded(length), Math.max(HEAD + length, end - io.position))
    if (io.position + whole > end) throw new DamagedImageError('its parts do not fit together')
    switch (type) {
      case 'VP8X':
        yield* keepExtendedHeader(io, image, length)
        break
      case 'VP8 ':
      case 'VP8L':
        yield* keepPixels(io, image, whole, frame)
        break
      case 'ANMF':
        yield* keepAnimationFrame(io, image, whole, frame)
        break
      case 'ANIM':
        requireLength(length, ANIMATION_LENGTH)
        yield* io.keep(whole)
        break
      case 'ALPH':
      case 'ICCP':
        yield* io.keep(whole)
        break
      case 'EXIF':
        yield* keepOrientation(io, length, whole)
        break
      default:
        yield* overwriteChunk(io, whole)
    }
  }
  yield* io.overwrite(end - io.position)
}

/**
 * Refuses a chunk that is shorter or longer than its content. libwebp reads no header that is
 * longer.
 */
function requireLength(length: number, expected: number): void {
  if (length !== expected) throw new DamagedImageError('a part of it has a wrong length')
}

function* keepExtendedHeader(io: ByteEditor, image: ImageMeter, length: number): Walk {
  requireLength(length, EXTENDED_LENGTH)
  const header = Buffer.from(yield* io.peek(HEAD + EXTENDED_LENGTH)) // a copy
  image.measure(header.readUIntLE(12, 3) + 1, header.readUIntLE(15, 3) + 1)
  header.writeUInt8(header.readUInt8(8) & ~XMP_FLAG, 8)
  io.write(header)
  yield* io.drop(header.byteLength)
}

/**
 * The image itself, or one frame. What its own header tells must be what was announced: it is what
 * gets decoded.
 */
function* keepPixels(
  io: ByteEditor,
  image: ImageMeter,
  whole: number,
  frame: ImageSize | null,
): Walk {
  const { width, height } = readBitstreamSize(yield* io.peek(Math.min(whole, HEAD + 10)))
  if (!image.size) image.measure(width, height)
  const announced = frame ?? image.size
  if (width !== announced?.width || height !== announced.height)
    throw new DamagedImageError('it has two sizes')
  yield* io.keep(whole)
}

/** Reads the header of a VP8 (RFC 6386, 9.1) or VP8L (RFC 9649, 3.4) bitstream. */
function readBitstreamSize(chunk: Buffer): ImageSize {
  const isLossless = chunk.toString('latin1', 0, 4) === 'VP8L'
  if (isLossless && chunk.byteLength >= HEAD + 5 && chunk.readUInt8(8) === 0x2f) {
    const bits = chunk.readUInt32LE(9)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (!isLossless && chunk.byteLength >= HEAD + 10 && chunk.readUIntBE(11, 3) === 0x9d012a) {
    return { width: chunk.readUInt16LE(14) & 0x3fff, height: chunk.readUInt16LE(16) & 0x3fff }
  }
  throw new DamagedImageError('its pixels do not begin as they must')
}

function* keepAnimationFrame(
  io: ByteEditor,
  image: ImageMeter,
  whole: number,
  frame: ImageSize | null,
): Walk {
  if (frame || !image.size || whole < HEAD + 16)
    throw new DamagedImageError('its frames do not fit together')
  const header = yield* io.peek(HEAD + 16)
  const size = { width: header.readUIntLE(14, 3) + 1, height: header.readUIntLE(17, 3) + 1 }
  image.check(size.width, size.height)
  image.addFrame()
  const end = io.position + whole
  yield* io.keep(header.byteLength)
  yield* walkChunks(io, image, end, size)
}

/** Browsers do not turn a WebP, so its size stays as it is; other programs do. */
function* keepOrientation(io: ByteEditor, length: number, whole: number): Walk {
  const data = (yield* io.peek(HEAD + Math.min(length, MAX_EXIF_LENGTH))).subarray(HEAD)
  // Some programs write the prefix that EXIF has in a JPEG.
  const prefix = data.toString('latin1', 0, 6) === 'Exif\0\0' ? 6 : 0
  const orientation = readOrientation(data.subarray(prefix))
  const tiff = orientationOnly(orientation)
  if (orientation === 1 || tiff.byteLength > length) return yield* overwriteChunk(io, whole)
  yield* io.keep(HEAD)
  io.write(tiff)
  yield* io.drop(tiff.byteLength)
  yield* io.overwrite(whole - HEAD - tiff.byteLength)
}

/** Makes of a chunk an empty one of the same length. */
function* overwriteChunk(io: ByteEditor, whole: number): Walk {
  io.write(JUNK)
  yield* io.drop(4)
  yield* io.keep(4)
  yield* io.overwrite(whole - HEAD)
}

/** Chunks have even lengths. */
function padded(length: number): number {
  return length + (length % 2)
}
