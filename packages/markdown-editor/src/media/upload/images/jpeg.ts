import type { ByteEditor, Reading } from './byte-editor.ts'
import { orientationOnly, readOrientation } from './exif.ts'
import { DamagedImageError, type ImageMeter } from './image-meter.ts'

const SOI = 0xffd8
const END = Uint8Array.of(0xff, 0xd9)
const EOI = 0xd9
const SOS = 0xda
const TEM = 0x01
const APP0 = 0xe0
const APP1 = 0xe1
const APP2 = 0xe2
const APP14 = 0xee
const COM = 0xfe
const DHT = 0xc4
const DQT = 0xdb
const DNL = 0xdc
const DRI = 0xdd

/** Segments with tables. DAC is missing, because browsers do not decode arithmetic coding. */
const TABLES: readonly number[] = [DHT, DQT, DNL, DRI]

/** Returns true for SOF0 to SOF15. DHT, JPG and DAC are in the same range, but are not frames. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

const isRestart = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd7
const isApplication = (marker: number): boolean => marker >= APP0 && marker <= 0xef

/** Returns true if 0xFF and this byte are a marker. 0xFF 0x00 is data. 0xFF 0xFF is padding. */
const isMarker = (second: number): boolean => second !== 0 && second !== 0xff

/** Returns true if 0xFF and this byte end a scan. Decoders ignore markers below SOF0. */
const endsScan = (second: number): boolean =>
  second >= 0xc0 && second !== 0xff && !isRestart(second)

/**
 * Reads a JPEG (ITU-T T.81, annex B). Keeps the image, the pixel density of JFIF, the color
 * profile, the color transform of Adobe and the orientation. Drops all other application segments,
 * comments, thumbnails, and everything after the end. Some phones append further images and videos.
 *
 * Many cameras write slightly invalid JPEGs. So bytes that decoders skip are dropped, and scans may
 * be damaged. Unreadable bytes after a scan are treated as the end of the image. Unreadable bytes
 * before the first scan are an error, because they could be metadata.
 */
export function* readJpeg(io: ByteEditor, image: ImageMeter): Reading {
  if ((yield* io.peek(2)).readUInt16BE(0) !== SOI)
    throw new DamagedImageError('it does not begin like a JPEG')
  yield* io.keep(2)
  // Browsers use only the first EXIF segment, and only if it is before the pixels.
  let mayTurn = true
  for (let marker = yield* nextMarker(io); marker !== EOI; marker = yield* nextMarker(io)) {
    const segment = yield* readSegment(io)
    if (marker === SOS) {
      mayTurn = false
      yield* readScan(io, image, segment)
    } else if (mayTurn && marker === APP1 && beginsWith(segment, 'Exif\0')) {
      mayTurn = false
      image.orientation = readOrientation(segment.subarray(10))
      if (image.orientation !== 1)
        io.write(toSegment(APP1, Buffer.from('Exif\0\0'), orientationOnly(image.orientation)))
      yield* io.drop(segment.byteLength)
    } else if (isApplication(marker) || marker === COM) {
      const kept = coloursOf(segment)
      if (kept) io.write(kept)
      yield* io.drop(segment.byteLength)
    } else {
      checkSegment(segment, marker, image)
      yield* io.keep(segment.byteLength)
    }
  }
  yield* io.keep(2)
}

/** Returns the next marker. Like libjpeg, drops bytes that do not belong to a segment. */
function* nextMarker(io: ByteEditor): Reading<number> {
  for (;;) {
    const skipped = findMarker(yield* io.peekAll(), isMarker)
    if (skipped > 0) yield* io.drop(skipped)
    else {
      const marker = (yield* io.peek(2)).readUInt8(1)
      if (!isMarker(marker)) yield* io.drop(1)
      else if (marker === TEM || isRestart(marker)) yield* io.drop(2)
      else return marker
    }
  }
}

/** Reads a whole segment, so that no bytes of a truncated segment are kept. */
function* readSegment(io: ByteEditor): Reading<Buffer> {
  const length = (yield* io.peek(4)).readUInt16BE(2)
  if (length < 2) throw new DamagedImageError('a part of it has no length')
  return yield* io.peek(2 + length)
}

function checkSegment(segment: Buffer, marker: number, image: ImageMeter): void {
  if (isFrame(marker)) {
    if (segment.byteLength < 10) throw new DamagedImageError('it has no size')
    requireLength(segment, () => 10 + 3 * segment.readUInt8(9))
    image.measure(segment.readUInt16BE(7), segment.readUInt16BE(5))
  } else if (TABLES.includes(marker)) requireLength(segment, tablesEnd)
  else throw new DamagedImageError(`it has a part of an unknown kind (${marker.toString(16)})`)
}

/** Keeps a scan up to the first marker after its entropy-coded data. */
function* readScan(io: ByteEditor, image: ImageMeter, header: Buffer): Reading {
  if (!image.size) throw new DamagedImageError('its pixels come before its size')
  image.addScan()
  requireLength(header, () => 8 + 2 * header.readUInt8(4))
  image.isShowable = true
  image.ending = null
  yield* io.keep(header.byteLength)
  for (;;) {
    const length = findMarker(yield* io.peekAll(), endsScan)
    if (length > 0) yield* io.keep(length)
    else if (endsScan((yield* io.peek(2)).readUInt8(1))) break
    else yield* io.keep(1)
  }
  // If the rest is damaged, the scan gets an end marker. Decoders show missing pixels as gray.
  image.ending = END
}

/** Returns the position of the first marker, of a final 0xFF (perhaps a marker), or of the end. */
function findMarker(bytes: Buffer, isWanted: (second: number) => boolean): number {
  const last = bytes.byteLength - 1
  let at = bytes.indexOf(0xff)
  while (at >= 0 && at < last && !isWanted(bytes.readUInt8(at + 1)))
    at = bytes.indexOf(0xff, at + 1)
  return at < 0 ? bytes.byteLength : at
}

function beginsWith(segment: Buffer, name: string): boolean {
  return segment.toString('latin1', 4, 4 + name.length) === name
}

/** Like libjpeg, rejects a segment whose length does not match its content. */
function requireLength(segment: Buffer, expected: (segment: Buffer) => number): void {
  if (segment.byteLength < 5 || segment.byteLength !== expected(segment))
    throw new DamagedImageError('a part of it has a wrong length')
}

/** Returns the position after the tables of a segment. In a valid segment, this is its length. */
function tablesEnd(segment: Buffer): number {
  const marker = segment.readUInt8(1)
  if (marker === DRI || marker === DNL) return 6
  let at = 4
  while (at < segment.byteLength) {
    // A table of DQT has 64 numbers of one or two bytes. A table of DHT has 16 counts, followed by
    // the counted symbols.
    if (marker === DQT) at += segment.readUInt8(at) < 0x10 ? 1 + 64 : 1 + 2 * 64
    else at += segment.subarray(at + 1, at + 17).reduce((sum, count) => sum + count, 17)
  }
  return at
}

/** Returns the bytes of an application segment that affect how pixels are displayed, or null. */
function coloursOf(segment: Buffer): Uint8Array | null {
  const [marker, length] = [segment.readUInt8(1), segment.byteLength]
  if (marker === APP2 && beginsWith(segment, 'ICC_PROFILE\0')) return segment
  // Removes the thumbnail: keeps only the bytes before it, and writes 0 as its width and height.
  if (marker === APP0 && length >= 18 && beginsWith(segment, 'JFIF\0'))
    return toSegment(APP0, segment.subarray(4, 16), Uint8Array.of(0, 0))
  if (marker === APP14 && length >= 16 && beginsWith(segment, 'Adobe'))
    return toSegment(APP14, segment.subarray(4, 16))
  return null
}

function toSegment(marker: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts)
  return Buffer.concat([Uint8Array.of(0xff, marker, 0, content.byteLength + 2), content])
}
