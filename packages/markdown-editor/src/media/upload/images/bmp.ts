import type { ByteEditor, Walk } from './byte-editor.ts'
import { DamagedImageError, type ImageMeter } from './image-meter.ts'

/** Length of the oldest header, of OS/2; all others begin as that of Windows. */
const CORE_HEADER = 12

/** A BMP. It has nowhere to put metadata, and is kept as it is. */
export function* walkBmp(io: ByteEditor, image: ImageMeter): Walk {
  const start = yield* io.peek(26)
  if (start.toString('latin1', 0, 2) !== 'BM')
    throw new DamagedImageError('it does not begin as a BMP')
  if (start.readUInt32LE(14) === CORE_HEADER)
    image.measure(start.readUInt16LE(18), start.readUInt16LE(20))
  // A negative height: the first row comes first.
  else image.measure(start.readUInt32LE(18), Math.abs(start.readInt32LE(22)))
  yield* io.keepRest()
}
