import { gzipSync } from 'node:zlib'
import {
  type Bytes,
  GOOD,
  type HostileCase,
  join,
  latin1,
  PATH,
  post,
  refused,
} from '../hostile-case.ts'
import { openSession } from '../hostile-server.ts'

const accepted = { status: 201, bytes: 'hello' } as const
type Row = readonly [
  name: string,
  request: Bytes,
  expect: HostileCase['expect'],
  ends?: HostileCase['ends'],
]
const toCase = ([name, request, expect, ends]: Row): HostileCase => ({
  name,
  request: [request],
  expect,
  ...(ends ? { ends } : {}),
})

const chunked = { 'content-length': null, 'transfer-encoding': 'chunked' }
const chunk = (data: Bytes, size = Buffer.byteLength(data as string).toString(16)): Buffer =>
  join(`${size}\r\n`, data, '\r\n')
const END = '0\r\n\r\n'

const lengths: readonly Row[] = [
  [
    'a content-length that is too short',
    post(GOOD, { 'content-length': String(GOOD.length - 20) }),
    refused.http,
  ],
  [
    'a content-length that ends behind the closing delimiter',
    post(GOOD, { 'content-length': String(GOOD.length - 2) }),
    accepted,
  ],
  [
    'a content-length that ends before the file',
    post(GOOD, { 'content-length': '20' }),
    refused.http,
  ],
  ['a content-length of 0', post(GOOD, { 'content-length': '0' }), refused.http],
  [
    'a content-length that is too long, and the client ends',
    post(GOOD, { 'content-length': String(GOOD.length + 100) }),
    'closed',
    'half',
  ],
  [
    'a content-length that is too long, and the client goes',
    post(GOOD, { 'content-length': String(GOOD.length + 100) }),
    'closed',
    'gone',
  ],
  [
    'a content-length that is too long, and the client waits',
    post(GOOD, { 'content-length': String(GOOD.length + 100) }),
    'closed',
    'stays',
  ],
  [
    'a content-length beyond all numbers',
    post(GOOD, { 'content-length': '9'.repeat(40) }),
    refused.http,
  ],
  [
    'a content-length of the largest number',
    post(GOOD, { 'content-length': '9007199254740993' }),
    'closed',
    'half',
  ],
  ...['-1', '+5', '0x10', '1e3', 'abc', '5, 5', '1 1', '٣', ''].map((length): Row => {
    return [
      `a content-length of ${JSON.stringify(length)}`,
      post(GOOD, { 'content-length': latin1(length).toString('latin1') }),
      refused.http,
    ]
  }),
  ['two content-lengths that differ', post(GOOD, { 'Content-Length': '5' }), refused.http],
  ['no length at all', post(GOOD, { 'content-length': null }), refused.http],
]

const encodings: readonly Row[] = [
  ['a chunked body', post(join(chunk(GOOD), END), chunked), accepted],
  [
    'a chunked body in capitals',
    post(join(chunk(GOOD), END), { ...chunked, 'transfer-encoding': 'CHUNKED' }),
    accepted,
  ],
  [
    'a body of one-byte chunks',
    post(join(...[...GOOD].map((byte) => chunk(Uint8Array.of(byte))), END), chunked),
    accepted,
  ],
  [
    'chunks with extensions',
    post(join(`${GOOD.length.toString(16)};a="b;c"\r\n`, GOOD, '\r\n', END), chunked),
    accepted,
  ],
  [
    'chunks with leading zeros',
    post(join(chunk(GOOD, `000${GOOD.length.toString(16)}`), END), chunked),
    accepted,
  ],
  [
    'chunks with a trailer',
    post(join(chunk(GOOD), '0\r\nauthorization: Bearer grace\r\n\r\n'), chunked),
    accepted,
  ],
  ['a chunked body without a form', post(END, chunked), refused.malformed],
  ['a chunk whose size is no number', post(join('zz\r\n', GOOD, '\r\n', END), chunked), 'closed'],
  ['a chunk whose size is negative', post(join('-5\r\n', GOOD, '\r\n', END), chunked), 'closed'],
  [
    'a chunk whose size is beyond all numbers',
    post(join(`${'F'.repeat(30)}\r\n`, GOOD, '\r\n', END), chunked),
    'closed',
  ],
  ['a chunk that is longer than it says', post(join(chunk(GOOD, '10'), END), chunked), 'closed'],
  [
    'a chunk that is shorter than it says',
    post(join(chunk(GOOD, 'ffff'), END), chunked),
    'closed',
    'half',
  ],
  [
    'a chunk without a line break',
    post(join(GOOD.length.toString(16), '\n', GOOD, '\n', '0\n\n'), chunked),
    'closed',
  ],
  ['a chunked body without an end', post(chunk(GOOD), chunked), 'closed', 'half'],
  [
    'a chunked body without an end, and the client waits',
    post(chunk(GOOD), chunked),
    'closed',
    'stays',
  ],
  [
    'a chunk extension of 100 kB',
    post(join(`5;${'a'.repeat(100_000)}\r\nhello\r\n`, END), chunked),
    'closed',
  ],
  [
    'content-length and chunks',
    post(join(chunk(GOOD), END), { ...chunked, 'content-length': '5' }),
    refused.http,
  ],
  [
    'the transfer-encoding gzip, chunked, of which the server knows the last',
    post(join(chunk(GOOD), END), { ...chunked, 'transfer-encoding': 'gzip, chunked' }),
    accepted,
  ],
  ...[
    'gzip',
    'chunked, gzip',
    'chunked, chunked',
    'identity',
    'nonsense',
    'xchunked',
    'chunked;q=1',
  ].map((encoding): Row => {
    return [
      `the transfer-encoding ${encoding}`,
      post(join(chunk(GOOD), END), { ...chunked, 'transfer-encoding': encoding }),
      'closed',
    ]
  }),
  ['a body in gzip', post(gzipSync(GOOD), { 'content-encoding': 'gzip' }), refused.malformed],
  [
    'a bomb in gzip',
    post(gzipSync(Buffer.alloc(10_000_000)), { 'content-encoding': 'gzip' }),
    refused.malformed,
  ],
  ['a body that is called gzip', post(GOOD, { 'content-encoding': 'gzip' }), accepted],
  ['a client that asks before it sends', post(GOOD, { expect: '100-continue' }), accepted],
  [
    'a client that expects nonsense',
    post(GOOD, { expect: 'nonsense' }),
    { status: 417, code: null },
  ],
]

const line = (requestLine: string, headers = ''): Buffer =>
  latin1(
    `${requestLine}\r\nhost: example.com\r\nconnection: close\r\nauthorization: Bearer ada\r\n${headers}\r\n`,
  )

const requests: readonly Row[] = [
  ...['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY'].map(
    (method): Row => [`the method ${method}`, line(`${method} ${PATH} HTTP/1.1`), refused.method],
  ),
  ['the method TRACE', line(`TRACE ${PATH} HTTP/1.1`), { status: 400, code: 'malformed_request' }],
  ['a method that nobody knows', line(`NONSENSE ${PATH} HTTP/1.1`), refused.http],
  ['a method in lower case', line(`post ${PATH} HTTP/1.1`), refused.http],
  ['a tunnel', line('CONNECT example.com:443 HTTP/1.1'), 'closed'],
  ['no method', line(` ${PATH} HTTP/1.1`), refused.http],
  ['no path', line('POST HTTP/1.1'), refused.http],
  ['HTTP/0.9', latin1(`POST ${PATH}\r\n\r\n`), refused.signedOut],
  ['HTTP/9.9', line(`POST ${PATH} HTTP/9.9`), refused.http],
  ['the greeting of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', refused.http],
  ['the greeting of TLS', latin1('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'), refused.http],
  ['nonsense', 'nonsense\r\n\r\n', refused.http],
  ['nothing', '', 'closed', 'half'],
  ['nothing, and the client waits', ' '.repeat(3), 'closed', 'stays'],
  ['half a line', 'POST /md-ed', 'closed', 'half'],
  ['half of the headers, and the client goes', post(GOOD).subarray(0, 80), 'closed', 'gone'],
  ['half of the headers, and the client waits', post(GOOD).subarray(0, 80), 'closed', 'stays'],
  ['a NUL in the path', line(`POST ${PATH}\0 HTTP/1.1`), refused.http],
  ['a NUL in a header', line(`POST ${PATH} HTTP/1.1`, 'x: a\0b\r\n'), refused.http],
  ['a carriage return in a header', line(`POST ${PATH} HTTP/1.1`, 'x: a\rb\r\n'), refused.http],
  ['a header without a colon', line(`POST ${PATH} HTTP/1.1`, 'nonsense\r\n'), refused.http],
  [
    'a header with a space before the colon',
    line(`POST ${PATH} HTTP/1.1`, 'x : y\r\n'),
    refused.http,
  ],
  [
    'headers of 20 kB',
    line(`POST ${PATH} HTTP/1.1`, `x: ${'y'.repeat(20_000)}\r\n`),
    { status: 431, code: null },
  ],
  ['a path of 20 kB', line(`POST /${'y'.repeat(20_000)} HTTP/1.1`), { status: 431, code: null }],
  ['no host', latin1(`POST ${PATH} HTTP/1.1\r\nconnection: close\r\n\r\n`), refused.http],
  [
    'a content-type with a line break that is folded',
    post(GOOD, { 'content-type': 'multipart/form-data;\r\n boundary=x' }),
    'closed',
  ],
  ['the absolute form of the path', post(GOOD, {}, `http://evil.example${PATH}`), accepted],
  ...[
    '/',
    `${PATH}/`,
    `${PATH}/x`,
    `/${PATH}`,
    '/md-editor/Upload',
    '/MD-EDITOR/upload',
    '/md-editor',
    '/md-editor/',
    '/md-editor//upload',
    '/md-editor/upload%00',
    '/md-editor/upload%2f',
    '/x/md-editor/upload',
    '/md-editor/upload.json',
    '/md-editor%2fupload',
    '/%6Dd-editor/upload',
    '/md-editor/uploa%64',
    '/md-editor/x/../upload',
    '/md-editor/./upload',
    '/md-editor/%2e/upload',
  ].map((path): Row => [`the path ${path}`, post(GOOD, {}, path), refused.notFound]),
  ...[`${PATH}?a=b`, `${PATH}?`, `${PATH}?csrf_token=x&file=y`].map(
    (path): Row => [`the path ${path}`, post(GOOD, {}, path), accepted],
  ),
]

const authorizations: readonly Row[] = [
  ...[
    null,
    '',
    'Bearer',
    'Bearer ',
    'bearer ada',
    'Bearer ada grace',
    'Bearer ada,',
    'Basic YWRhOnB3',
    'Basic',
    'Digest x',
    'ada',
    'DPoP ada',
    "Bearer '; DROP TABLE quillgate_media --",
    'Bearer ../ada',
    'Bearer ada%00',
  ].map(
    (value): Row => [
      `the authorization ${JSON.stringify(value)}`,
      post(GOOD, { authorization: value }),
      refused.signedOut,
    ],
  ),
  [
    'a bad bearer token beside good cookies',
    post(GOOD, { authorization: 'Bearer ?', cookie: openSession('ada').cookie }),
    refused.csrf,
  ],
  [
    'nobody and a body that never ends',
    post('x'.repeat(1000), { authorization: null, 'content-length': '100000000' }),
    refused.signedOut,
    'half',
  ],
]

/** How the request travels. */
export const transport: readonly HostileCase[] = [
  ...lengths,
  ...encodings,
  ...requests,
  ...authorizations,
].map(toCase)
