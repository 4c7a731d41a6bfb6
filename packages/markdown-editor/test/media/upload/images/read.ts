import { readImage } from '../../../../src/media/upload/images/read-image.ts'

/** Splits a file into chunks of one size, or of several sizes in turn. */
export async function* inPieces(
  bytes: Uint8Array,
  sizes: number | readonly number[],
): AsyncGenerator<Uint8Array> {
  const lengths = typeof sizes === 'number' ? [sizes] : sizes
  for (let [at, turn] = [0, 0]; at < bytes.byteLength; turn++) {
    const size = lengths[turn % lengths.length] ?? 1
    yield bytes.subarray(at, at + size)
    at += size
  }
}

export async function read(
  type: string,
  bytes: Uint8Array,
  maxPixels?: number,
  sizes: number | readonly number[] = 1000,
) {
  const image = readImage(type, inPieces(bytes, sizes), maxPixels)
  if (!image) throw new Error(`${type} is not read`)
  const chunks: Uint8Array[] = []
  for await (const chunk of image.body) chunks.push(chunk)
  return { bytes: Buffer.concat(chunks), size: image.shownSize() }
}
