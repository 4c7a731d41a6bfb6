import type { ByteEditor, Reading } from './byte-editor.ts'
import { MAX_EXIF_LENGTH, orientationOnly, readOrientation } from './exif.ts'
import { DamagedImageError, type ImageMeter, type ImageSize } from './image-meter.ts'

/** The length in bytes of a chunk header, which has the type and the length of the data. */
const HEAD = 8

/** The type of filler chunks. Readers of RIFF files skip them. */
const JUNK = Buffer.from('JUNK')

/** The lengths of the headers of an extended file (VP8X) and of an animation (ANIM). */
const [EXTENDED_LENGTH, ANIMATION_LENGTH] = [10, 6]

const XMP_FLAG = 0x04

/**
 * Reads a WebP (RFC 9649), animated or not. Overwrites metadata instead of removing it, because the
 * file begins with its own length. From EXIF, keeps only the orientation.
 */
export function* readWebp(io: ByteEditor, image: ImageMeter): Reading {
  const start = yield* io.peek(12)
  if (start.toString('latin1', 0, 4) !== 'RIFF' || start.toString('latin1', 8, 12) !== 'WEBP')
    throw new DamagedImageError('it does not begin like a WebP')
  const end = HEAD + padded(start.readUInt32LE(4))
  yield* io.keep(12)
  yield* readChunks(io, image, end, null)
}

/** Reads the chunks of the file, or of a frame, up to `end`. */
function* readChunks(
  io: ByteEditor,
  image: ImageMeter,
  end: number,
  frame: ImageSize | null,
): Reading {
  for (let left = end - io.position; left >= HEAD; left = end - io.position) {
    const head = yield* io.peek(HEAD)
    const [type, length] = [head.toString('latin1', 0, 4), head.readUInt32LE(4)]
    // Chunks are padded to an even length, but the padding of the last chunk may be missing.
    const whole = Math.min(HEAD + padded(length), Math.max(HEAD + length, left))
    if (whole > left) throw new DamagedImageError('its parts do not fit together')
    if (type === 'ANMF') {
      if (frame || !image.size) throw new DamagedImageError('its frames do not fit together')
      yield* readFrame(io, image, whole)
    } else if (type === 'VP8X') yield* keepExtendedHeader(io, image, length)
    else if (type === 'VP8 ' || type === 'VP8L') yield* keepPixels(io, image, whole, frame)
    else if (type === 'EXIF') yield* keepOrientation(io, length, whole)
    else if (type === 'ANIM') {
      requireLength(length, ANIMATION_LENGTH)
      yield* io.keep(whole)
    } else if (type === 'ALPH' || type === 'ICCP') yield* io.keep(whole)
    else yield* makeJunk(io, whole)
  }
  yield* io.drop(end - io.position, true)
}

/** Like libwebp, rejects a header of a different length. */
function requireLength(length: number, expected: number): void {
  if (length !== expected) throw new DamagedImageError('a part of it has a wrong length')
}

function* keepExtendedHeader(io: ByteEditor, image: ImageMeter, length: number): Reading {
  requireLength(length, EXTENDED_LENGTH)
  const header = Buffer.from(yield* io.peek(HEAD + EXTENDED_LENGTH)) // A copy, which can be changed.
  image.measure(header.readUIntLE(12, 3) + 1, header.readUIntLE(15, 3) + 1)
  header.writeUInt8(header.readUInt8(8) & ~XMP_FLAG, 8)
  io.write(header)
  yield* io.drop(header.byteLength)
}

/**
 * Keeps a chunk with pixels. Decoders use the width and height in the pixel data. So the header of
 * the file or of the frame must contain the same width and height.
 */
function* keepPixels(
  io: ByteEditor,
  image: ImageMeter,
  whole: number,
  frame: ImageSize | null,
): Reading {
  const { width, height } = readBitstreamSize(yield* io.peek(Math.min(whole, HEAD + 10)))
  if (!image.size) image.measure(width, height)
  const announced = frame ?? image.size
  if (width !== announced?.width || height !== announced.height)
    throw new DamagedImageError('it contains two different sizes')
  yield* io.keep(whole)
}

/** Reads the header of a VP8 (RFC 6386, 9.1) or VP8L (RFC 9649, 3.4) bitstream. */
function readBitstreamSize(chunk: Buffer): ImageSize {
  const isLossless = chunk.toString('latin1', 0, 4) === 'VP8L'
  if (isLossless && chunk.byteLength >= HEAD + 5 && chunk.readUInt8(8) === 0x2f) {
    const bits = chunk.readUInt32LE(9)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (!isLossless && chunk.byteLength >= HEAD + 10 && chunk.readUIntBE(11, 3) === 0x9d012a)
    return { width: chunk.readUInt16LE(14) & 0x3fff, height: chunk.readUInt16LE(16) & 0x3fff }
  throw new DamagedImageError('its pixel data has an invalid header')
}

function* readFrame(io: ByteEditor, image: ImageMeter, whole: number): Reading {
  if (whole < HEAD + 16) throw new DamagedImageError('its frames do not fit together')
  const header = yield* io.peek(HEAD + 16)
  const [width, height] = [header.readUIntLE(14, 3) + 1, header.readUIntLE(17, 3) + 1]
  image.check(width, height)
  image.addFrame()
  const end = io.position + whole
  yield* io.keep(header.byteLength)
  yield* readChunks(io, image, end, { width, height })
}

/** Keeps the orientation for other programs. Browsers ignore it, so the size does not change. */
function* keepOrientation(io: ByteEditor, length: number, whole: number): Reading {
  const chunk = yield* io.peek(HEAD + Math.min(length, MAX_EXIF_LENGTH))
  const data = chunk.subarray(HEAD)
  // Some programs write the prefix `Exif\0\0`, which belongs only in a JPEG.
  const prefix = data.toString('latin1', 0, 6) === 'Exif\0\0' ? 6 : 0
  const orientation = readOrientation(data.subarray(prefix))
  const tiff = orientationOnly(orientation)
  if (orientation === 1 || tiff.byteLength > length) return yield* makeJunk(io, whole)
  yield* io.keep(HEAD)
  io.write(tiff)
  yield* io.drop(tiff.byteLength)
  yield* io.drop(whole - HEAD - tiff.byteLength, true)
}

function* makeJunk(io: ByteEditor, whole: number): Reading {
  io.write(JUNK)
  yield* io.drop(4)
  yield* io.keep(4)
  yield* io.drop(whole - HEAD, true)
}

function padded(length: number): number {
  return length + (length % 2)
}
