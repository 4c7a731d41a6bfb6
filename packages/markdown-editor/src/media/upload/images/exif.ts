/** The maximum length of EXIF data in bytes. It is the maximum length of a JPEG segment. */
export const MAX_EXIF_LENGTH = 65_535

const ORIENTATION = 0x0112
const SHORT = 3

/**
 * Returns the orientation of an image: 1 (unchanged) to 8. From 5 to 8, width and height are
 * swapped. Like browsers, returns 1 for data that cannot be read.
 *
 * @param tiff the EXIF data, which begins with the TIFF header (CIPA DC-008, 4.6)
 */
export function readOrientation(tiff: Uint8Array): number {
  const data = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength)
  if (data.byteLength < 10) return 1
  const order = data.getUint16(0)
  const littleEndian = order === 0x4949
  if ((!littleEndian && order !== 0x4d4d) || data.getUint16(2, littleEndian) !== 42) return 1
  const directory = data.getUint32(4, littleEndian)
  if (directory + 2 > data.byteLength) return 1
  const count = data.getUint16(directory, littleEndian)
  for (let index = 0; index < count; index++) {
    const entry = directory + 2 + 12 * index
    if (entry + 12 > data.byteLength) break
    if (data.getUint16(entry, littleEndian) !== ORIENTATION) continue
    const isShort =
      data.getUint16(entry + 2, littleEndian) === SHORT &&
      data.getUint32(entry + 4, littleEndian) === 1
    const value = isShort ? data.getUint16(entry + 8, littleEndian) : 1
    return value >= 1 && value <= 8 ? value : 1
  }
  return 1
}

/** Returns EXIF data whose only entry is the orientation. */
export function orientationOnly(orientation: number): Uint8Array {
  const data = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex')
  data.writeUInt16BE(orientation, 18)
  return data
}
