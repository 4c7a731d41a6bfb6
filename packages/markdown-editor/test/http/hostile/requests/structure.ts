import {
  fieldPart,
  filePart,
  form,
  GOOD,
  type HostileCase,
  join,
  latin1,
  part,
  post,
  refused,
  withBody,
} from '../hostile-case.ts'
import { MAX_UPLOAD_SIZE } from '../hostile-server.ts'

const accepted = { status: 201, bytes: 'hello' } as const
const fields = (count: number): Buffer =>
  join(...Array.from({ length: count }, (_, index) => fieldPart(`f${index}`, '1')))

const counts: readonly HostileCase[] = (
  [
    ['twenty fields and a file', form(fields(20), filePart()), accepted],
    ['twenty-one fields before a file', form(fields(21), filePart()), refused.tooManyParts],
    ['twenty-one fields after a file', form(filePart(), fields(21)), refused.tooManyParts],
    ['5,000 fields', form(fields(5000), filePart()), refused.tooManyParts],
    [
      '5,000 fields of the same name',
      form(join(...Array<Buffer>(5000).fill(fieldPart('a', '1'))), filePart()),
      refused.tooManyParts,
    ],
    ['5,000 files', form(join(...Array<Buffer>(5000).fill(filePart()))), refused.tooManyParts],
    [
      '5,000 parts without a name',
      form(join(...Array<Buffer>(5000).fill(part('x: y', ''))), filePart()),
      refused.tooManyParts,
    ],
    ['5,000 empty parts', form('--x\r\n\r\n\r\n'.repeat(5000), filePart()), refused.tooManyParts],
    ['two files', form(filePart('one'), filePart('two')), refused.multiple],
    ['the same file twice', form(filePart(), filePart()), refused.multiple],
    [
      'two files, the second in another field',
      form(filePart(), part(['content-disposition: form-data; name="b"; filename="b"'], 'b')),
      refused.multiple,
    ],
    [
      'two files, the first in another field',
      form(part(['content-disposition: form-data; name="b"; filename="b"'], 'b'), filePart()),
      refused.missing,
    ],
    [
      'two files, the second without a file name',
      form(filePart(), filePart('', '""')),
      refused.multiple,
    ],
    [
      'two files, the first without a file name',
      form(filePart('', '""'), filePart()),
      refused.missing,
    ],
    [
      'two files, the second of a forbidden type',
      form(filePart(), filePart('<b>', '"b.html"', 'text/html')),
      refused.multiple,
    ],
    [
      'two files, the first of a forbidden type',
      form(filePart('<b>', '"b.html"', 'text/html'), filePart()),
      refused.type,
    ],
    [
      'a file followed by a field of the same name',
      form(filePart(), fieldPart('file', 'x')),
      accepted,
    ],
    ['a file after a field of the same name', form(fieldPart('file', 'x'), filePart()), accepted],
    ['a text field instead of the file', form(fieldPart('file', 'hello')), refused.missing],
    [
      'a file followed by a truncated file',
      join(filePart(), filePart().subarray(0, -4)),
      refused.multiple,
    ],
    [
      'a file followed by a field without a name',
      form(filePart(), part('content-disposition: form-data', 'x')),
      refused.malformed,
    ],
    [
      'fields named like prototype properties',
      form(
        ...['__proto__', 'constructor', 'toString'].map((name) => fieldPart(name, 'x')),
        filePart(),
      ),
      accepted,
    ],
    ['a field without a value', form(fieldPart('a', ''), filePart()), accepted],
    ['a field of 64 kB', form(fieldPart('a', 'x'.repeat(65_536)), filePart()), accepted],
    [
      'a field of 64 kB and one byte',
      form(fieldPart('a', 'x'.repeat(65_537)), filePart()),
      refused.fieldTooLarge,
    ],
    [
      'a field of 1 MB after the file',
      form(filePart(), fieldPart('a', 'x'.repeat(1_000_000))),
      refused.fieldTooLarge,
    ],
    ['a preamble of 2 MB', join('p'.repeat(2_000_000), '\r\n', GOOD), refused.bodyTooLarge],
    ['an epilogue of 2 MB', join(GOOD, 'e'.repeat(2_000_000)), refused.bodyTooLarge],
    ['a header of 2 MB', form(part([`x: ${'y'.repeat(2_000_000)}`], 'x')), refused.bodyTooLarge],
    [
      'a part of 2 MB without a name',
      form(part('x: y', 'z'.repeat(2_000_000)), filePart()),
      refused.bodyTooLarge,
    ],
  ] as const
).map(([name, body, expect]) => withBody(name, body, expect))

const sizes: readonly HostileCase[] = (
  [
    ['of 0 bytes', '', refused.empty],
    ['of one byte', 'a', { status: 201, bytes: 'a' }],
    ['of one line break', '\r\n', { status: 201, bytes: '\r\n' }],
    [
      'of the maximum size',
      'a'.repeat(MAX_UPLOAD_SIZE),
      { status: 201, bytes: 'a'.repeat(MAX_UPLOAD_SIZE) },
    ],
    ['of one byte over the maximum', 'a'.repeat(MAX_UPLOAD_SIZE + 1), refused.fileTooLarge],
    ['of 16 KiB over the maximum', 'a'.repeat(MAX_UPLOAD_SIZE + 16_384), refused.fileTooLarge],
    ['of ten times the maximum', 'a'.repeat(MAX_UPLOAD_SIZE * 10), refused.fileTooLarge],
  ] as const
).flatMap(([name, content, expect]) => [
  withBody(`a file ${name}`, form(filePart(content)), expect),
  withBody(
    `a file ${name}, followed by a field`,
    form(filePart(content), fieldPart('a', '1')),
    expect,
  ),
])

/** Truncated forms. Their `content-length` matches the truncated body. */
const truncated: readonly HostileCase[] = [
  0,
  1,
  2,
  3,
  4,
  5,
  20,
  23,
  24,
  40,
  60,
  GOOD.indexOf('\r\n\r\n') - 1,
  ...[0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14].map(
    (offset) => GOOD.indexOf('\r\n\r\n') + offset,
  ),
].flatMap((length) => {
  const name = `a form that ends after ${length} bytes`
  return [
    withBody(name, GOOD.subarray(0, length), refused.malformed),
    withBody(
      `${name}, preceded by a complete field`,
      join(fieldPart('a', '1'), GOOD.subarray(0, length)),
      refused.malformed,
    ),
  ]
})

const bodies: readonly HostileCase[] = (
  [
    ['a body of NULs', '\0'.repeat(10_000)],
    ['a body of line breaks', '\r\n'.repeat(10_000)],
    ['a body of dashes', '-'.repeat(10_000)],
    [
      'a body of random bytes',
      Buffer.from(Array.from({ length: 10_000 }, (_, index) => (index * 7919) % 256)),
    ],
    ['a body of JSON', '{"file":"hello"}'],
    ['a URL-encoded body', 'file=hello&csrf_token=x'],
    [
      'a body of XML',
      '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    ],
    ['a body of raw PNG bytes', latin1('\x89PNG\r\n\x1a\n')],
    ['a body that contains another request', join(post(GOOD))],
  ] as const
).flatMap(([name, body]) => [
  withBody(name, body, name.includes('another request') ? accepted : refused.malformed),
  ...[
    'application/json',
    'application/octet-stream',
    'image/png',
    'text/plain',
    'multipart/mixed; boundary=x',
    'multipart/form-datax; boundary=x',
    'nonsense',
  ].map((type) => withBody(`${name}, as ${type}`, body, refused.missing, type)),
])

export const structure: readonly HostileCase[] = [...counts, ...sizes, ...truncated, ...bodies]
