import {
  type Bytes,
  fieldPart,
  filePart,
  form,
  type HostileCase,
  join,
  latin1,
  part,
  refused,
  withBody,
} from '../hostile-case.ts'

const accepted = { status: 201, bytes: 'hello' } as const
const DISPOSITION = 'content-disposition: form-data; name="file"; filename="a.txt"'
const PLAIN = 'content-type: text/plain'

type Row = readonly [name: string, headers: readonly Bytes[] | Bytes, expect: HostileCase['expect']]

const withHeaders = ([name, headers, expect]: Row): HostileCase =>
  withBody(`a part ${name}`, form(part(headers, 'hello')), expect)

const contentTypes: readonly Row[] = [
  ['without content-type, which means text', [DISPOSITION], accepted],
  ['with an empty content-type, which means text', [DISPOSITION, 'content-type:'], accepted],
  [
    'with parameters of content-type',
    [DISPOSITION, 'content-type: text/plain; charset=utf-8; a="b;c"'],
    accepted,
  ],
  ['with content-type in capitals', [DISPOSITION, 'CONTENT-TYPE: TEXT/PLAIN'], accepted],
  [
    'with two content-types, using the first',
    [DISPOSITION, PLAIN, 'content-type: text/html'],
    { status: 201, type: 'text/plain' },
  ],
  [
    'with two content-types, the first forbidden',
    [DISPOSITION, 'content-type: text/html', PLAIN],
    refused.type,
  ],
  [
    'with two types in one content-type',
    [DISPOSITION, 'content-type: text/plain, text/html'],
    refused.type,
  ],
  [
    'with an unknown charset',
    [DISPOSITION, 'content-type: text/plain; charset=nonsense'],
    accepted,
  ],
  [
    'with the type that browsers send for unknown files',
    [DISPOSITION, 'content-type: application/octet-stream'],
    accepted,
  ],
  ['with the charset UTF-16', [DISPOSITION, 'content-type: text/plain; charset=utf-16'], accepted],
  ['with the charset UTF-7', [DISPOSITION, 'content-type: text/plain; charset=utf-7'], accepted],
  [
    'with the charset __proto__',
    [DISPOSITION, 'content-type: text/plain; charset=__proto__'],
    accepted,
  ],
  ...[
    'text/html',
    'text/html; charset=utf-8',
    'TEXT/HTML',
    'application/xhtml+xml',
    'image/svg+xml',
    'text/xml',
    'application/xml',
    'text/css',
    'text/javascript',
    'application/javascript',
    'application/x-httpd-php',
    'application/x-msdownload',
    'application/x-shockwave-flash',
    'message/rfc822',
    'multipart/mixed; boundary=y',
    'multipart/form-data; boundary=x',
    'application/wasm',
    'text',
    'text/',
    '/plain',
    '/',
    'text/*',
    '*/*',
    '*',
    'text/plain/x',
    'text plain',
    'text/plain\u00a0',
    'text/plain\\',
    '"text/plain"',
    'null',
    '__proto__',
    'constructor',
    'a/b'.repeat(2000),
  ].map(
    (type): Row => [
      `of the type ${JSON.stringify(type.slice(0, 40))}`,
      [DISPOSITION, `content-type: ${type}`],
      refused.type,
    ],
  ),
]

const malformed: readonly Row[] = [
  ['with a line that is not a header', [DISPOSITION, 'nonsense', PLAIN], accepted],
  ['with a header without a name', [DISPOSITION, ': nonsense', PLAIN], accepted],
  [
    'with a space before the colon',
    ['content-disposition : form-data; name="file"; filename="a.txt"', PLAIN],
    refused.missing,
  ],
  [
    'with a space before the header',
    [' content-disposition: form-data; name="file"; filename="a.txt"', PLAIN],
    refused.missing,
  ],
  [
    'with a folded header',
    ['content-disposition: form-data;\r\n name="file";\r\n\tfilename="a.txt"', PLAIN],
    accepted,
  ],
  [
    'with a folded file name',
    ['content-disposition: form-data; name="file"; filename="a\r\n b.txt"', PLAIN],
    { status: 201, name: 'a b.txt' },
  ],
  [
    'with a fold of a thousand lines',
    [`content-disposition: form-data;${'\r\n '.repeat(1000)}name="file"; filename="a.txt"`, PLAIN],
    accepted,
  ],
  [
    'with a NUL in a header',
    ['content-disposition: form-data; name="file\0"; filename="a.txt"', PLAIN],
    refused.missing,
  ],
  [
    'with a NUL in the file name',
    ['content-disposition: form-data; name="file"; filename="a\0b.txt"', PLAIN],
    { status: 201, name: 'ab.txt' },
  ],
  [
    'with a NUL in the name of a header',
    ['content-disposition\0: form-data; name="file"; filename="a.txt"', PLAIN],
    refused.missing,
  ],
  [
    'with a bare line feed in a header',
    ['content-disposition: form-data; name="file"; filename="a\nb.txt"', PLAIN],
    refused.missing,
  ],
  [
    'with a bare carriage return in a header',
    ['content-disposition: form-data; name="file"; filename="a\rb.txt"', PLAIN],
    refused.missing,
  ],
  [
    'with bytes over 127 in an unknown header',
    [DISPOSITION, latin1('x-\xfc: \xff\xfe'), PLAIN],
    accepted,
  ],
  [
    'with 30 more headers',
    [DISPOSITION, PLAIN, ...Array.from({ length: 30 }, (_, index) => `x-${index}: y`)],
    accepted,
  ],
  [
    'with 1,000 more headers at the end',
    [DISPOSITION, PLAIN, ...Array.from({ length: 1000 }, () => 'x: y')],
    accepted,
  ],
  [
    'whose content-disposition comes after 1,000 headers',
    [...Array.from({ length: 1000 }, () => 'x: y'), DISPOSITION, PLAIN],
    refused.missing,
  ],
  ['with a header of 10 kB', [DISPOSITION, PLAIN, `x: ${'y'.repeat(10_000)}`], accepted],
  [
    'with 60 kB of other headers first',
    [...Array.from({ length: 6 }, () => `x: ${'y'.repeat(10_000)}`), DISPOSITION, PLAIN],
    refused.missing,
  ],
  [
    'with another header of 60 kB first',
    [`x: ${'y'.repeat(60_000)}`, DISPOSITION, PLAIN],
    refused.missing,
  ],
  [
    'whose transfer encoding base64 is ignored (RFC 7578, 4.7)',
    [DISPOSITION, PLAIN, 'content-transfer-encoding: base64'],
    accepted,
  ],
  [
    'whose transfer encoding is quoted-printable',
    [DISPOSITION, PLAIN, 'content-transfer-encoding: quoted-printable'],
    accepted,
  ],
  [
    'whose transfer encoding is nonsense',
    [DISPOSITION, PLAIN, 'content-transfer-encoding: __proto__'],
    accepted,
  ],
  ['with content-encoding', [DISPOSITION, PLAIN, 'content-encoding: gzip'], accepted],
  ['with content-length', [DISPOSITION, PLAIN, 'content-length: 99999999999'], accepted],
  [
    'with HTTP request headers',
    [
      DISPOSITION,
      PLAIN,
      'transfer-encoding: chunked',
      'authorization: Bearer grace',
      'host: evil.example',
    ],
    accepted,
  ],
]

const broken: readonly HostileCase[] = (
  [
    [
      'headers followed directly by a delimiter',
      `--x\r\n${DISPOSITION}\r\n--x--\r\n`,
      refused.missing,
    ],
    [
      'headers without the blank line',
      `--x\r\n${DISPOSITION}\r\n${PLAIN}\r\nhello\r\n--x--\r\n`,
      refused.missing,
    ],
    [
      'headers with line feeds only',
      `--x\r\n${DISPOSITION}\n${PLAIN}\n\nhello\r\n--x--\r\n`,
      refused.missing,
    ],
    [
      'a blank line before the headers',
      `--x\r\n\r\n${DISPOSITION}\r\n${PLAIN}\r\n\r\nhello\r\n--x--\r\n`,
      refused.missing,
    ],
    [
      'a part within a part',
      form(
        part(
          `content-type: multipart/mixed; boundary=y`,
          join('--y\r\n', `${DISPOSITION}\r\n\r\nhello`, '\r\n--y--\r\n'),
        ),
      ),
      refused.missing,
    ],
    [
      'a form within a file',
      form(filePart(join('--y\r\n', `${DISPOSITION}\r\n\r\nhello`, '\r\n--y--'))),
      { status: 201 },
    ],
    [
      'a form with the same boundary within a file',
      form(filePart(form(filePart('inner')))),
      { status: 201, bytes: 'inner' },
    ],
    [
      'a nested file in multipart/mixed',
      form(
        part(
          [
            'content-disposition: form-data; name="file"',
            'content-type: multipart/mixed; boundary=y',
          ],
          join('--y\r\ncontent-disposition: file; filename="a.txt"\r\n\r\nhello\r\n--y--\r\n'),
        ),
      ),
      refused.missing,
    ],
    [
      'an encoded-word as a file name',
      form(filePart('hello', '"=?utf-8?B?YS5wbmc=?="')),
      { status: 201, name: '=?utf-8?B?YS5wbmc=?=' },
    ],
    [
      'a field with an unknown charset',
      form(
        part(
          [
            'content-disposition: form-data; name="a"',
            'content-type: text/plain; charset=nonsense',
          ],
          latin1('\xff'),
        ),
        filePart(),
      ),
      accepted,
    ],
    [
      'a field with bytes that are not UTF-8',
      form(fieldPart('a', latin1('\xff\xfe\xc0')), filePart()),
      accepted,
    ],
  ] as const
).map(([name, body, expect]) => withBody(name, body, expect))

export const partHeaders: readonly HostileCase[] = [
  ...[...contentTypes, ...malformed].map(withHeaders),
  ...broken,
]
