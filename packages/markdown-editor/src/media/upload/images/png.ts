import { crc32 } from 'node:zlib'
import type { ByteEditor, Reading } from './byte-editor.ts'
import { MAX_EXIF_LENGTH, orientationOnly, readOrientation } from './exif.ts'
import { DamagedImageError, type ImageMeter } from './image-meter.ts'

const SIGNATURE = '\x89PNG\r\n\x1a\n'

const [HEAD, TAIL] = [8, 4]

/** Chunks that contain the image or its frames, or that affect how pixels are displayed. */
const KEPT: ReadonlySet<string> = new Set([
  ...['PLTE', 'IDAT', 'tRNS', 'acTL', 'fcTL', 'fdAT', 'pHYs', 'bKGD', 'hIST'],
  ...['cICP', 'iCCP', 'sRGB', 'gAMA', 'cHRM', 'sBIT', 'mDCV', 'cLLI'],
])

/**
 * Reads a PNG (W3C, third edition), animated or not. Drops texts, times, other ancillary chunks and
 * everything after the end. From EXIF, keeps only the orientation. Does not check the checksums of
 * kept chunks, because decoders check them.
 */
export function* readPng(io: ByteEditor, image: ImageMeter): Reading {
  const start = yield* io.peek(SIGNATURE.length + HEAD + 8)
  if (
    start.toString('latin1', 0, 8) !== SIGNATURE ||
    start.readUInt32BE(8) !== 13 ||
    start.toString('latin1', 12, 16) !== 'IHDR'
  ) {
    throw new DamagedImageError('it does not begin like a PNG')
  }
  image.measure(start.readUInt32BE(16), start.readUInt32BE(20))
  yield* io.keep(SIGNATURE.length + HEAD + 13 + TAIL)
  let hasExif = false
  for (;;) {
    const head = yield* io.peek(HEAD)
    const [length, type] = [head.readUInt32BE(0), head.toString('latin1', 4, 8)]
    if (length > 0x7f_ff_ff_ff || !/^[a-z]{4}$/i.test(type))
      throw new DamagedImageError('its parts do not fit together')
    const whole = HEAD + length + TAIL
    if (type === 'IEND') {
      yield* io.peek(HEAD + TAIL)
      io.write(toChunk('IEND', Buffer.alloc(0)))
      return
    }
    if (type === 'fcTL') image.addFrame()
    if (type === 'IDAT') image.isShowable = true
    if (KEPT.has(type)) yield* io.keep(whole)
    else if (type === 'eXIf' && !hasExif && length <= MAX_EXIF_LENGTH) {
      const orientation = orientationOf(yield* io.peek(whole))
      if (orientation !== 1) io.write(toChunk('eXIf', orientationOnly(orientation)))
      // Browsers rotate the image only if the orientation is before its pixels.
      if (!image.isShowable) image.orientation = orientation
      hasExif = true
      yield* io.drop(whole)
    } else if (type.charAt(0) < 'a')
      // An upper-case letter marks a critical chunk (5.4, "naming conventions"). Decoders reject an
      // image with an unknown critical chunk.
      throw new DamagedImageError(`it has a part of an unknown kind (${type})`)
    else yield* io.drop(whole)
  }
}

/** Reads the orientation. Like browsers, ignores a chunk with a wrong checksum. */
function orientationOf(chunk: Buffer): number {
  const isIntact = crc32(chunk.subarray(4, -TAIL)) === chunk.readUInt32BE(chunk.byteLength - TAIL)
  return isIntact ? readOrientation(chunk.subarray(HEAD, -TAIL)) : 1
}

function toChunk(type: string, data: Uint8Array): Uint8Array {
  const chunk = Buffer.alloc(HEAD + data.byteLength + TAIL)
  chunk.writeUInt32BE(data.byteLength, 0)
  chunk.write(type, 4, 'latin1')
  chunk.set(data, HEAD)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -TAIL)), HEAD + data.byteLength)
  return chunk
}
