import { randomFillSync } from 'node:crypto'
import { chunk } from '../../../tests/support/png.ts'

export interface Body {
  readonly bytes: Buffer<ArrayBuffer>
  readonly type: string
}

const BOUNDARY = '----WebKitFormBoundary7MA4YWxkTrZu0gW'
/** Files up to this size are images. Larger files are videos. */
const LARGEST_PICTURE = 1_000_000

/**
 * Returns a file of the given size: a PNG or, if the file is large, an MP4. The content is random.
 */
export function createFile(size: number): Body {
  return size <= LARGEST_PICTURE
    ? { bytes: createPng(size), type: 'image/png' }
    : { bytes: createMp4(size), type: 'video/mp4' }
}

/** Returns the body of a form with a file, in the format of browsers. */
export function toForm({ bytes, type }: Body): Body {
  const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="my file"\r\ncontent-type: ${type}\r\n\r\n`
  const tail = `\r\n--${BOUNDARY}--\r\n`
  return {
    bytes: Buffer.concat([Buffer.from(head), bytes, Buffer.from(tail)]),
    type: `multipart/form-data; boundary=${BOUNDARY}`,
  }
}

// Creates a PNG whose pixels are random. See https://www.w3.org/TR/png-3/#5Chunk-layout.
function createPng(size: number): Buffer<ArrayBuffer> {
  const header = Buffer.from('00000040000000400802000000', 'hex') // 64 × 64 pixels of three bytes.
  const around = 8 + 25 + 12 + 12
  const pixels = randomFillSync(Buffer.alloc(size - around))
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

// Creates an MP4, which consists of boxes. A box has a length, a type and content
// (https://www.iso.org/standard/85596.html, 4.2).
function createMp4(size: number): Buffer<ArrayBuffer> {
  const head = Buffer.concat([
    box('ftyp', Buffer.from('isom\0\0\x02\0isommp42', 'latin1')),
    Buffer.alloc(8),
  ])
  head.writeUInt32BE(size - head.byteLength + 8, head.byteLength - 8)
  head.write('mdat', head.byteLength - 4, 'latin1')
  return Buffer.concat([head, randomFillSync(Buffer.alloc(size - head.byteLength))])
}

function box(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.byteLength + 8)
  return Buffer.concat([length, Buffer.from(type, 'latin1'), content])
}
