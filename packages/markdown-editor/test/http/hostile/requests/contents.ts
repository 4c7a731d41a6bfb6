import { deflateSync } from 'node:zlib'
import { IMAGES, pngChunk, pngHeader } from '../../../media/upload/images/image-samples.ts'
import { PNG, SAMPLES } from '../../../media/upload/samples.ts'
import {
  type Bytes,
  filePart,
  form,
  type HostileCase,
  join,
  latin1,
  refused,
  withBody,
} from '../hostile-case.ts'

type Row = readonly [name: string, bytes: Bytes, type: string, expect: HostileCase['expect']]

const SCRIPT = '<script>alert(1)</script>'
const HTML = `<!DOCTYPE html><html><body>${SCRIPT}</body></html>`
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
const ZIP = Buffer.from(
  '504b0304140000000000000000000000000000000000000000000500000068692e747874',
  'hex',
)
const [MP4, PDF, WEBM, WAV] = ['video/mp4', 'application/pdf', 'video/webm', 'audio/wav'].map(
  (type) => {
    return SAMPLES.find(([name]) => name === type)?.[1] ?? new Uint8Array()
  },
) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]

const pngOf = (width: number, height: number, ...chunks: readonly Bytes[]): Buffer =>
  join(
    latin1('\x89PNG\r\n\x1a\n'),
    pngHeader(width, height),
    ...chunks,
    pngChunk('IDAT', deflateSync(Buffer.alloc(4))),
    pngChunk('IEND'),
  )

/** The types of samples that a declared type accepts and that are stored with the declared type. */
const COMPATIBLE: Readonly<Record<string, readonly string[]>> = {
  'text/plain': ['text/plain', 'text/csv', 'application/json'],
  'image/png': ['image/png'],
  'application/pdf': ['application/pdf'],
  'video/mp4': ['video/mp4'],
  'application/zip': [
    'application/zip',
    ...SAMPLES.flatMap(([type]) => (type.includes('officedocument') ? [type] : [])),
  ],
}
/** Images can replace each other, and so can audio and video. */
const areInterchangeable = (type: string, other: string): boolean =>
  [/^image/, /^(?:audio|video)/].some((kind) => kind.test(type) && kind.test(other))
const mismatches: readonly Row[] = Object.entries(COMPATIBLE).flatMap(([declared, compatible]) =>
  SAMPLES.map(
    ([type, bytes]): Row => [
      type,
      bytes,
      declared,
      compatible.includes(type)
        ? { status: 201, type: declared }
        : areInterchangeable(type, declared)
          ? { status: 201, type }
          : refused.type,
    ],
  ),
)

const polyglots: readonly Row[] = [
  [
    'a GIF followed by a script',
    join(IMAGES.gif, SCRIPT),
    'image/gif',
    { status: 201, without: 'script' },
  ],
  [
    'a GIF signature in a script',
    join('GIF89a/*', '\0'.repeat(20), '*/=1;', SCRIPT),
    'image/gif',
    refused.type,
  ],
  ['a PNG followed by HTML', join(PNG, HTML), 'image/png', { status: 201, bytes: PNG }],
  ['a PNG followed by a ZIP', join(PNG, ZIP), 'image/png', { status: 201, bytes: PNG }],
  [
    'a PNG followed by PHP',
    join(PNG, '<?php system($_GET[0]); ?>'),
    'image/png',
    { status: 201, bytes: PNG },
  ],
  ['a PNG followed by another PNG', join(PNG, PNG), 'image/png', { status: 201, bytes: PNG }],
  [
    'a PNG with a script in a comment',
    pngOf(1, 1, pngChunk('tEXt', `Comment\0${SCRIPT}`)),
    'image/png',
    { status: 201, without: 'script' },
  ],
  [
    'a PNG with a script in a private chunk',
    pngOf(1, 1, pngChunk('prVt', SCRIPT)),
    'image/png',
    { status: 201, without: 'script' },
  ],
  [
    'a JPEG followed by a ZIP',
    join(IMAGES.jpeg, ZIP),
    'image/jpeg',
    { status: 201, without: 'PK\x03\x04' },
  ],
  [
    'a JPEG followed by HTML',
    join(IMAGES.jpeg, HTML),
    'image/jpeg',
    { status: 201, without: 'script' },
  ],
  [
    'a JPEG with PHP in a comment',
    join(
      IMAGES.jpeg.subarray(0, 2),
      latin1('\xff\xfe\x00\x12<?php echo(1)?>'),
      IMAGES.jpeg.subarray(2),
    ),
    'image/jpeg',
    { status: 201, without: '<?php' },
  ],
  [
    'a WebP followed by a script',
    join(IMAGES.lossyWebp, SCRIPT),
    'image/webp',
    { status: 201, without: 'script' },
  ],
  [
    'a PDF followed by HTML',
    join(PDF, HTML),
    'application/pdf',
    { status: 201, type: 'application/pdf' },
  ],
  ['HTML followed by a PDF', join(HTML, PDF), 'application/pdf', refused.type],
  [
    'a PDF after spaces',
    join('   ', PDF),
    'application/pdf',
    { status: 201, type: 'application/pdf' },
  ],
  ['an MP4 followed by HTML', join(MP4, HTML), 'video/mp4', { status: 201, type: 'video/mp4' }],
  ['HTML followed by an MP4', join(HTML, MP4), 'video/mp4', refused.type],
  ['a WebM followed by a script', join(WEBM, SCRIPT), 'video/webm', { status: 201 }],
  ['a WAV followed by a script', join(WAV, SCRIPT), 'audio/wav', { status: 201 }],
  ['HTML followed by a ZIP', join(HTML, ZIP), 'application/zip', refused.type],
  ['a ZIP followed by HTML', join(ZIP, HTML), 'application/zip', { status: 201 }],
  [
    'a ZIP that is a Java archive',
    join(ZIP, 'META-INF/MANIFEST.MF'),
    'application/java-archive',
    refused.type,
  ],
]

const images: readonly Row[] = [
  ['a PNG of 4 billion pixels', pngOf(65_535, 65_535), 'image/png', refused.invalid],
  [
    'a PNG of the largest possible size',
    pngOf(2 ** 31 - 1, 2 ** 31 - 1),
    'image/png',
    refused.invalid,
  ],
  ['a PNG without pixels', pngOf(0, 1), 'image/png', refused.type],
  [
    'a GIF of 4 billion pixels',
    join(
      'GIF89a',
      Buffer.from('ffffffff800000000000ffffff2c00000000ffffffff0002024401003b', 'hex'),
    ),
    'image/gif',
    refused.invalid,
  ],
  ['half a PNG', PNG.subarray(0, 20), 'image/png', refused.type],
  ['the signature of a PNG', PNG.subarray(0, 8), 'image/png', refused.type],
  ['the signature of a JPEG', IMAGES.jpeg.subarray(0, 3), 'image/jpeg', refused.type],
  ['a PNG with a byte before it', join('\0', PNG), 'image/png', refused.type],
  ['SVG', SVG, 'image/png', refused.type],
  ['SVG', SVG, 'image/svg+xml', refused.type],
  ['HTML', HTML, 'image/png', refused.type],
  ['a script', 'alert(1)', 'image/gif', refused.type],
]

const texts: readonly Row[] = [
  ...[
    HTML,
    '<html>',
    '<HTML>',
    ' \t\r\n<html>',
    '\ufeff<html>',
    '\ufeff  <script>',
    '<script>',
    '<ScRiPt src=x>',
    '<!-- a -->',
    '<!doctype html>',
    '<svg onload=x>',
    '<?xml version="1.0"?>',
    '<?php echo 1 ?>',
    '<?= 1 ?>',
    '<% x %>',
    '<img src=x onerror=y>',
    '<iframe src=x>',
    '<body onload=x>',
    '<a href=x>',
    '<b>',
    '<style>',
    '<base href=x>',
    '<object>',
    '<math>',
    '<form>',
    '<video>',
    '</html>',
    '<head/>',
    '<link rel=x>',
    '<meta>',
    '<h1>',
    '<div>',
    '<table>',
    '<br>',
    '<p>',
  ].map(
    (text): Row => [
      `text that begins with ${JSON.stringify(text.slice(0, 20))}`,
      text,
      'text/plain',
      refused.type,
    ],
  ),
  ['HTML in UTF-16', Buffer.from(`\ufeff${HTML}`, 'utf16le'), 'text/plain', refused.type],
  [
    'HTML in UTF-16 without a byte order mark',
    Buffer.from(HTML, 'utf16le'),
    'text/plain',
    refused.type,
  ],
  ['text in UTF-32', latin1('\xff\xfe\0\0<\0\0\0'), 'text/plain', refused.type],
  [
    'plain text in UTF-16',
    Buffer.from('\ufeffGrüße', 'utf16le'),
    'text/plain',
    { status: 201, type: 'text/plain' },
  ],
  // These bytes are text in an 8-bit encoding.
  ...[
    'Gr\xfc\xdfe',
    '\xc0\xbcscript\xc0\xbe',
    '\xed\xa0\x80',
    'a\xe2\x82',
    `${'a'.repeat(10_000)}\xff`,
  ].map(
    (text): Row => [
      `text that is not UTF-8 (${text.length}, ${JSON.stringify(text.slice(0, 10))})`,
      latin1(text),
      'text/plain',
      { status: 201, type: 'text/plain' },
    ],
  ),
  ['JSON that is not UTF-8', latin1('["Gr\xfc\xdfe"]'), 'application/json', refused.type],
  ['a NUL', 'a\0b', 'text/plain', refused.type],
  ['a NUL after 10 kB', `${'a'.repeat(10_000)}\0`, 'text/plain', refused.type],
  ['a Windows executable', latin1('MZ\x90\0\x03\0\0\0'), 'text/plain', refused.type],
  ['a Linux executable', latin1('\x7fELF\x02\x01\x01\0'), 'text/plain', refused.type],
  ['PostScript', '%!PS-Adobe-3.0', 'text/plain', refused.type],
  ['RTF', '{\\rtf1\\ansi}', 'text/plain', refused.type],
  ['HTML', HTML, 'text/csv', refused.type],
  ['HTML', HTML, 'application/json', refused.type],
  ['a script', 'alert(1)', 'application/json', refused.type],
  ['incomplete JSON', '{"a":1', 'application/json', refused.type],
  ['JSON followed by a script', '{"a":1} alert(1)', 'application/json', refused.type],
  [
    'JSON nested 60,000 deep',
    '['.repeat(60_000),
    'application/json',
    { status: 201, type: 'application/json' },
  ],
  [
    'JSON with HTML in it',
    JSON.stringify({ a: HTML }),
    'application/json',
    { status: 201, type: 'application/json' },
  ],
  ['text with HTML in it', `a ${HTML}`, 'text/plain', { status: 201, bytes: `a ${HTML}` }],
  ['UTF-7', '+ADw-script+AD4-alert(1)+ADw-/script+AD4-', 'text/plain', { status: 201 }],
  ['a formula', "=cmd|' /C calc'!A0", 'text/csv', { status: 201, type: 'text/csv' }],
  ['a shell script', '#!/bin/sh\nid\n', 'text/plain', { status: 201, type: 'text/plain' }],
  ['escape sequences', '\x1b[31mred', 'text/plain', { status: 201 }],
]

const declared: readonly Row[] = [
  ...[
    'IMAGE/PNG',
    'Image/Png',
    'image/png; charset=utf-8',
    'image/png;',
    'image/png ; a=b',
    'image/x-png',
    ' image/png ',
  ].map((type): Row => ['a PNG', PNG, type, { status: 201, type: 'image/png' }]),
  // For image types and for unspecific types, the detected type replaces the declared type.
  ...[
    'image/jpeg',
    'image/bmp',
    'image/tiff',
    'image/vnd.adobe.photoshop',
    'application/octet-stream',
  ].map((type): Row => ['a PNG', PNG, type, { status: 201, type: 'image/png' }]),
  ...[
    'video/mp4',
    'application/pdf',
    'image/svg+xml',
    'text/html',
    'application/javascript',
    'application/x-msdownload',
    'binary/octet-stream',
    'image',
    'image/',
    'image/*',
    'image/png/x',
    'image/png, image/jpeg',
    'png',
    'x-image/png',
  ].map((type): Row => ['a PNG', PNG, type, refused.type]),
]

export const contents: readonly HostileCase[] = [
  ...mismatches,
  ...polyglots,
  ...images,
  ...texts,
  ...declared,
].map(([name, bytes, type, expect]) =>
  withBody(`${name} as ${JSON.stringify(type)}`, form(filePart(bytes, '"a"', type)), expect),
)
