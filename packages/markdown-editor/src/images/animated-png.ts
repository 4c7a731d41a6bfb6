import { open } from 'node:fs/promises'

const SIGNATURE = 8
/** Length and type before the data of a chunk, the checksum behind. */
const [HEAD, TAIL] = [8, 4]
/** Real files have about ten before their pixels. */
const MOST_CHUNKS = 1000

/**
 * Whether a PNG has frames, which libvips does not see: `acTL` stands before the pixels (W3C PNG,
 * third edition, 11.3.6.1).
 */
export async function isAnimatedPng(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const head = Buffer.alloc(HEAD)
    let at = SIGNATURE
    for (let chunk = 0; chunk < MOST_CHUNKS; chunk++) {
      if ((await file.read(head, 0, HEAD, at)).bytesRead < HEAD) return false
      const type = head.toString('latin1', 4)
      if (type === 'acTL') return true
      if (type === 'IDAT') return false
      at += HEAD + head.readUInt32BE(0) + TAIL
    }
    return true
  } finally {
    await file.close()
  }
}
