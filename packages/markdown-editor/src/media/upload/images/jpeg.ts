import type { ByteEditor, Walk } from './byte-editor.ts'
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

/**
 * Further segments that decoders need. Browsers do not decode arithmetic coding (DAC), so it is
 * unknown.
 */
const TABLES: readonly number[] = [DHT, DQT, DNL, DRI]

/** SOF0 to SOF15; in between are DHT, JPG and DAC. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

const isRestart = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd7
const isApplication = (marker: number): boolean => marker >= APP0 && marker <= 0xef

/**
 * A JPEG (ITU-T T.81, annex B). Kept are the image itself, JFIF's pixel density, the colour
 * profile, Adobe's note on colours and the orientation; dropped are all other application segments,
 * comments, thumbnails, and whatever follows the end: further images and videos that phones append.
 *
 * Cameras and programs write JPEGs that are not quite right, and no one can send a better one. So
 * bytes that decoders skip are dropped, scans may be damaged, and what stands behind a scan and
 * cannot be read is taken for the end. Before that, to go on would be to guess what is image and
 * what is metadata: such a file is refused.
 */
export function* walkJpeg(io: ByteEditor, image: ImageMeter): Walk {
  if ((yield* io.peek(2)).readUInt16BE(0) !== SOI)
    throw new DamagedImageError('it does not begin as a JPEG')
  yield* io.keep(2)
  // The first EXIF counts in browsers, and only before the pixels.
  let mayTurn = true
  for (;;) {
    const marker = yield* nextMarker(io)
    if (marker === EOI) return yield* io.keep(2)
    if (marker === TEM || isRestart(marker)) {
      yield* io.drop(2)
      continue
    }
    const length = yield* segmentLength(io)
    if (isFrame(marker)) yield* keepFrame(io, image, length)
    else if (TABLES.includes(marker)) yield* keepTables(io, marker, length)
    else if (marker === SOS) {
      if (!image.size) throw new DamagedImageError('pixels come before its size')
      image.addScan()
      yield* requireLength(io, length, (segment) => 8 + 2 * segment.readUInt8(4))
      mayTurn = false
      image.isShowable = true
      image.ending = null
      yield* io.keep(length)
      yield* keepScan(io)
      // Decoders have seen a marker: they take what is missing for grey, and must not wait for
      // more.
      image.ending = END
    } else if (marker === APP1 && mayTurn && (yield* beginsWith(io, length, 'Exif\0'))) {
      mayTurn = false
      yield* keepOrientation(io, image, length)
    } else if (isApplication(marker) || marker === COM) yield* keepColours(io, marker, length)
    else throw new DamagedImageError(`it has a part of an unknown kind (${marker.toString(16)})`)
  }
}

/** Goes to the next marker, and drops what stands before it as libjpeg skips it. */
function* nextMarker(io: ByteEditor): Walk<number> {
  for (;;) {
    io.dropTo(toMarker)
    const first = (yield* io.peek(1)).readUInt8(0)
    const second = first === 0xff ? (yield* io.peek(2)).readUInt8(1) : 0
    if (isMarker(second)) return second
    yield* io.drop(1)
  }
}

/** Passes entropy-coded data on, up to a marker that is no part of it. */
function* keepScan(io: ByteEditor): Walk {
  for (;;) {
    io.keepTo(toScanEnd)
    const first = (yield* io.peek(1)).readUInt8(0)
    if (first === 0xff && endsScan((yield* io.peek(2)).readUInt8(1))) return
    yield* io.keep(1)
  }
}

/** After 0xFF: 0 makes it a byte of data, and before a marker any number of 0xFF may stand. */
function isMarker(second: number): boolean {
  return second !== 0 && second !== 0xff
}

/**
 * Restarts are part of a scan. Markers below SOF0 mean nothing; in a damaged scan decoders continue
 * after them.
 */
function endsScan(second: number): boolean {
  return second >= 0xc0 && second !== 0xff && !isRestart(second)
}

const toMarker = markerFinder(isMarker)
const toScanEnd = markerFinder(endsScan)

/** Makes a search for the next marker, or for a last 0xFF that may begin one. */
function markerFinder(
  isWanted: (second: number) => boolean,
): (bytes: Buffer, from: number) => number {
  return (bytes, from) => {
    const last = bytes.byteLength - 1
    let at = bytes.indexOf(0xff, from)
    while (at >= 0 && at < last && !isWanted(bytes.readUInt8(at + 1)))
      at = bytes.indexOf(0xff, at + 1)
    return at < 0 ? bytes.byteLength : at
  }
}

/**
 * The length of a segment, its marker included. It lies ahead as a whole: of one that is cut off
 * nothing is kept.
 */
function* segmentLength(io: ByteEditor): Walk<number> {
  const length = (yield* io.peek(4)).readUInt16BE(2)
  if (length < 2) throw new DamagedImageError('a part of it has no length')
  yield* io.peek(2 + length)
  return 2 + length
}

function* beginsWith(io: ByteEditor, length: number, name: string): Walk<boolean> {
  return (yield* io.peek(Math.min(length, 4 + name.length))).toString('latin1', 4) === name
}

function* keepFrame(io: ByteEditor, image: ImageMeter, length: number): Walk {
  if (length < 10) throw new DamagedImageError('it has no size')
  const frame = yield* io.peek(9)
  yield* requireLength(io, length, (segment) => 10 + 3 * segment.readUInt8(9))
  image.measure(frame.readUInt16BE(7), frame.readUInt16BE(5))
  yield* io.keep(length)
}

/** Keeps tables. A segment that is longer than its tables would have room for other data. */
function* keepTables(io: ByteEditor, marker: number, length: number): Walk {
  yield* requireLength(io, length, (segment) => {
    if (marker === DRI || marker === DNL) return 6
    return (
      4 + tablesLength(segment.subarray(4), marker === DQT ? quantisationLength : huffmanLength)
    )
  })
  yield* io.keep(length)
}

/** The length of the tables that lie one after another in a segment. */
function tablesLength(tables: Buffer, lengthAt: (tables: Buffer, at: number) => number): number {
  let at = 0
  while (at < tables.byteLength) at += lengthAt(tables, at)
  return at
}

/** The length of a table of 64 numbers of one or two bytes each, and the byte before it. */
function quantisationLength(tables: Buffer, at: number): number {
  return tables.readUInt8(at) < 0x10 ? 1 + 64 : 1 + 2 * 64
}

/** The length of 16 counts, the symbols that they count, and the byte before them. */
function huffmanLength(tables: Buffer, at: number): number {
  const counts = tables.subarray(at + 1, at + 17)
  return 17 + counts.reduce((sum, count) => sum + count, 0)
}

/** Refuses a segment that is shorter or longer than its content, as libjpeg does. */
function* requireLength(
  io: ByteEditor,
  length: number,
  expected: (segment: Buffer) => number,
): Walk {
  const segment = yield* io.peek(length)
  if (length < 5 || length !== expected(segment))
    throw new DamagedImageError('a part of it has a wrong length')
}

/** In place of an EXIF segment: one that tells the orientation, if that is not as usual. */
function* keepOrientation(io: ByteEditor, image: ImageMeter, length: number): Walk {
  const segment = yield* io.peek(length)
  image.orientation = readOrientation(segment.subarray(10))
  if (image.orientation !== 1) {
    io.write(toSegment(APP1, [...Buffer.from('Exif\0\0'), ...orientationOnly(image.orientation)]))
  }
  yield* io.drop(length)
}

/** Keeps of an application segment what says how the pixels are to be shown. */
function* keepColours(io: ByteEditor, marker: number, length: number): Walk {
  if (marker === APP2 && (yield* beginsWith(io, length, 'ICC_PROFILE\0')))
    return yield* io.keep(length)
  if (marker === APP0 && length >= 18 && (yield* beginsWith(io, length, 'JFIF\0'))) {
    // A thumbnail may follow: its width and height become 0.
    io.write(toSegment(APP0, [...(yield* io.peek(16)).subarray(4), 0, 0]))
  }
  if (marker === APP14 && length >= 16 && (yield* beginsWith(io, length, 'Adobe'))) {
    io.write(toSegment(APP14, [...(yield* io.peek(16)).subarray(4)]))
  }
  yield* io.drop(length)
}

function toSegment(marker: number, content: readonly number[]): Uint8Array {
  return Uint8Array.from([0xff, marker, 0, content.length + 2, ...content])
}
