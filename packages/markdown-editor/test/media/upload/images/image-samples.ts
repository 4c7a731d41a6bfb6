/**
 * Small images without metadata, encoded by ImageMagick 6.9, and functions that create the
 * metadata and other blocks that tests add to the images.
 */
import { crc32, deflateSync } from 'node:zlib'

const decode = (lines: readonly string[]): Buffer => Buffer.from(lines.join(''), 'base64')

export const IMAGES = {
  /** 24 × 16, baseline. */
  jpeg: decode([
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxO',
    'UlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P',
    'T09PT09PT0//wAARCAAQABgDASIAAhEBAxEB/8QAGAAAAgMAAAAAAAAAAAAAAAAAAAUCBAb/xAAhEAACAQQCAgMAAAAAAAAAAAAB',
    'AgADBBEhBTESQRMzUf/EABcBAAMBAAAAAAAAAAAAAAAAAAACAwT/xAAdEQACAgEFAAAAAAAAAAAAAAABAwACEQUTISJB/9oADAMB',
    'AAIRAxEAPwDIJaMgB+bY9AiNKd2zAph+/Q0IuvKbKzNTxjPR1J2HLLRrBTSUk9gyrXNvgEQcm6SeY7TkWokFgwIOj4wlq2e0v1+s',
    'KcfnWYRcOHkwjUNvrYz/2Q==',
  ]),
  /** 24 × 16, ten scans with tables between them. */
  progressiveJpeg: decode([
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxO',
    'UlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P',
    'T09PT09PT0//wgARCAAQABgDASIAAhEBAxEB/8QAGAAAAgMAAAAAAAAAAAAAAAAAAAQBAwX/xAAXAQADAQAAAAAAAAAAAAAAAAAA',
    'AQID/9oADAMBAAIQAxAAAAHHaXmh4tFh/8QAGhAAAgMBAQAAAAAAAAAAAAAAAAIBERIDE//aAAgBAQABBQLJDHpQ8Cdalcuf/8QA',
    'GREAAwADAAAAAAAAAAAAAAAAAAECEhQh/9oACAEDAQE/AbhwbGPGf//EABcRAAMBAAAAAAAAAAAAAAAAAAABAiL/2gAIAQIBAT8B',
    'q6Zs/8QAFxABAQEBAAAAAAAAAAAAAAAAADEQIf/aAAgBAQAGPwK7xEf/xAAaEAEBAAIDAAAAAAAAAAAAAAABABEhMUGR/9oACAEB',
    'AAE/IRlV1uFzz5IKw8eEj6X/2gAMAwEAAgADAAAAENgv/8QAFxEBAQEBAAAAAAAAAAAAAAAAAQAhMf/aAAgBAwEBPxBJ2Ohf/8QA',
    'FxEBAQEBAAAAAAAAAAAAAAAAAQARQf/aAAgBAgEBPxDLEsHL/8QAGhABAAMBAQEAAAAAAAAAAAAAAQARMSFBUf/aAAgBAQABPxA0',
    'dHgkEa78OEcEBHjFAFXjyEEy6MzxV8y5/9k=',
  ]),
  /** 24 × 16. */
  lossyWebp: decode([
    'UklGRpQAAABXRUJQVlA4IIgAAABQBACdASoYABAAPu1iqU2ppaOiMAgBMB2JbACdMoMYAEihBUV+7v10rd2kAP7r7YNFfLcH/Zq3',
    'JqJslpYqK09IleBuGSZ3hus4rfZwkn2mf0AYk9aXieSokqWf3j0jxgG71pLkwvyMkhVgKemBZ6WktWTYSJdBo5Ze3IwTSzoZBud8',
    'gTzcAAAA',
  ]),
  /** 9 × 5. */
  losslessWebp: decode([
    'UklGRuQAAABXRUJQVlA4TNcAAAAvCAABAGfBRrbtJJl0niA1LZMed2f/m6B3l22wDQCASDY3bdZvfdJvdQEn22QcAQCRrJ9tbNAq',
    'DdkinqKfbd3Nf/Q88RNw/GTZ4GMud5c/Gm3IKYIghrKMy3PYfgGiR6IloZgfTVyvUyIcEs8wASMlGAvTAn9YAQm5E8g3e4PSwNgg',
    'Z5Bf+ogCVFtOTEpXzHTpdiVynhU1Psxl88O9zwhMvyYIf5ykKM1XBSEwDACwaHC2s+0i+h//1rzfU2Zjn6qpbl0XpbbB50NhBMME',
    'ntc9K04BOvZ1AQA=',
  ]),
  /** 24 × 16, extended, with alpha. */
  alphaWebp: decode([
    'UklGRrgAAABXRUJQVlA4WAoAAAAQAAAAFwAADwAAQUxQSAoAAAABB1DAiAhERP8DVlA4IIgAAABQBACdASoYABAAPu1iqU2ppaOi',
    'MAgBMB2JbACdMoMYAEihBUV+7v10rd2kAP7r7YNFfLcH/Zq3JqJslpYqK09IleBuGSZ3hus4rfZwkn2mf0AYk9aXieSokqWf3j0j',
    'xgG71pLkwvyMkhVgKemBZ6WktWTYSJdBo5Ze3IwTSzoZBud8gTzcAAAA',
  ]),
  /** 24 × 16, two frames, repeated forever. */
  gif: decode([
    'R0lGODlhGAAQAPEAADhCRUaaXzxHkXN7jSH5BAAKAAAAIf8LTkVUU0NBUEUyLjADAQAAACwAAAAAGAAQAAACXpSPo8uML4CSoi0A',
    'aaWj2gNgYhRKQGBIV4mR5cAG5xDQIRm5pRzweylApVihXpGIPP1kJyOGmYzxelRUdFelVZ1XY4+mpV5jitpCPCaat6b2FUGFMdLC',
    '+ASWfhq+gwIAIfkEAAoAAAAsAAAAABgAEACBOEJFRZpfPEeQc3uNAlwcZgfLLB9GmOikhsMTcyoMLlzUBeEJREiJgtTatelSSmxo',
    '0nAZt6bN6/loKQ9mA3iccrlM8ulMCFBIoim3GygdC+3MJECEEYaNMpw0/MhsrXmjTbTnb3N7PB8UAAA7',
  ]),
} as const

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

/** Big-endian. */
export function uint(value: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.writeUIntBE(value, 0, length)
  return bytes
}

export function uintLE(value: number, length: number): Buffer {
  return Buffer.from(uint(value, length).reverse())
}

/** A text in all metadata that must be removed. */
export const SECRET = 'SECRET 52.5200N 13.4050E'

/** Creates EXIF data with the orientation, and with the secret as the maker of the camera. */
export function exif(orientation: number, order: 'II' | 'MM' = 'MM'): Buffer {
  const number = order === 'MM' ? uint : uintLE
  const secret = latin1(`${SECRET}\0`)
  const entry = (tag: number, type: number, count: number, value: Buffer): Buffer =>
    Buffer.concat([number(tag, 2), number(type, 2), number(count, 4), value])
  const entries = [
    entry(0x010f, 2, secret.byteLength, number(8 + 2 + 2 * 12 + 4, 4)),
    entry(0x0112, 3, 1, Buffer.concat([number(orientation, 2), number(0, 2)])),
  ]
  return Buffer.concat([
    latin1(order),
    number(42, 2),
    number(8, 4),
    number(2, 2),
    ...entries,
    number(0, 4),
    secret,
  ])
}

/** Creates the smallest EXIF data with an orientation. */
export function bareExif(orientation: number): Buffer {
  return Buffer.from(`4d4d002a0000000800010112000300000001000${orientation}000000000000`, 'hex')
}

export function segment(marker: number, content: string | Uint8Array): Buffer {
  const bytes = typeof content === 'string' ? latin1(content) : content
  return Buffer.concat([uint(0xff00 + marker, 2), uint(bytes.byteLength + 2, 2), bytes])
}

export function exifSegment(data: Uint8Array): Buffer {
  return segment(0xe1, Buffer.concat([latin1('Exif\0\0'), data]))
}

/** Inserts segments after the first segment of a JPEG, which is the JFIF segment. */
export function jpegWith(jpeg: Buffer, ...segments: Uint8Array[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 20), ...segments, jpeg.subarray(20)])
}

export function pngChunk(type: string, data: string | Uint8Array = ''): Buffer {
  const content = Buffer.concat([latin1(type), typeof data === 'string' ? latin1(data) : data])
  return Buffer.concat([uint(content.byteLength - 4, 4), content, uint(crc32(content), 4)])
}

export interface PngParts {
  readonly width?: number
  readonly height?: number
  /** Chunks between IHDR and the first IDAT. */
  readonly before?: readonly Uint8Array[]
  /** Chunks between the last IDAT and IEND. */
  readonly after?: readonly Uint8Array[]
}

/** Creates a truecolor PNG whose pixels differ. */
export function png({ width = 24, height = 16, before = [], after = [] }: PngParts = {}): Buffer {
  const rows = Buffer.alloc(height * (1 + 3 * width), 0)
  for (let at = 0; at < rows.byteLength; at++)
    if (at % (1 + 3 * width) !== 0) rows[at] = (at * 37) % 251
  const pixels = deflateSync(rows)
  return Buffer.concat([
    latin1('\x89PNG\r\n\x1a\n'),
    pngHeader(width, height),
    ...before,
    pngChunk('IDAT', pixels.subarray(0, 100)),
    pngChunk('IDAT', pixels.subarray(100)),
    ...after,
    pngChunk('IEND'),
  ])
}

export function pngHeader(width: number, height: number): Buffer {
  return pngChunk(
    'IHDR',
    Buffer.concat([uint(width, 4), uint(height, 4), Buffer.from([8, 2, 0, 0, 0])]),
  )
}

export function riffChunk(type: string, data: string | Uint8Array): Buffer {
  const bytes = typeof data === 'string' ? latin1(data) : data
  return Buffer.concat([
    latin1(type),
    uintLE(bytes.byteLength, 4),
    bytes,
    Buffer.alloc(bytes.byteLength % 2),
  ])
}

export function webp(...chunks: Uint8Array[]): Buffer {
  return riffChunk('RIFF', Buffer.concat([latin1('WEBP'), ...chunks]))
}

export function extendedHeader(flags: number, width: number, height: number): Buffer {
  return riffChunk(
    'VP8X',
    Buffer.concat([uintLE(flags, 4), uintLE(width - 1, 3), uintLE(height - 1, 3)]),
  )
}

export function animationFrame(width: number, height: number, ...chunks: Uint8Array[]): Buffer {
  const position = [uintLE(0, 3), uintLE(0, 3), uintLE(width - 1, 3), uintLE(height - 1, 3)]
  return riffChunk(
    'ANMF',
    Buffer.concat([...position, uintLE(100, 3), Buffer.from([2]), ...chunks]),
  )
}
