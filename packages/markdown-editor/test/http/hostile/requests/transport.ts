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
  afterSending?: HostileCase['afterSending'],
]
const toCase = ([name, request, expect, afterSending]: Row): HostileCase => ({
  name,
  request: [request],
  expect,
  ...(afterSending ? { afterSending } : {}),
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
    'a content-length that ends after the closing delimiter',
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
    'a content-length that is too long, and the client half-closes',
    post(GOOD, { 'content-length': String(GOOD.length + 100) }),
    'closed',
    'half-close',
  ],
  [
    'a content-length that is too long, and the client disconnects',
    post(GOOD, { 'content-length': String(GOOD.length + 100) }),
    'closed',
    'disconnect',
  ],
  [
    'a content-length that is too long, and the client waits',
    post(GOOD, { 'content-length': String(GOOD.length + 100) }),
    'closed',
    'wait',
  ],
  ['a content-length of 40 digits', post(GOOD, { 'content-length': '9'.repeat(40) }), refused.http],
  [
    'a content-length above the largest safe integer',
    post(GOOD, { 'content-length': '9007199254740993' }),
    'closed',
    'half-close',
  ],
  ...['-1', '+5', '0x10', '1e3', 'abc', '5, 5', '1 1', '٣', ''].map((length): Row => {
    return [
      `a content-length of ${JSON.stringify(length)}`,
      post(GOOD, { 'content-length': latin1(length).toString('latin1') }),
      refused.http,
    ]
  }),
  ['two different content-lengths', post(GOOD, { 'Content-Length': '5' }), refused.http],
  ['no content-length', post(GOOD, { 'content-length': null }), refused.http],
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
  ['an empty chunked body', post(END, chunked), refused.malformed],
  [
    'a chunk whose size is not a number',
    post(join('zz\r\n', GOOD, '\r\n', END), chunked),
    'closed',
  ],
  ['a chunk whose size is negative', post(join('-5\r\n', GOOD, '\r\n', END), chunked), 'closed'],
  [
    'a chunk whose size has 30 digits',
    post(join(`${'F'.repeat(30)}\r\n`, GOOD, '\r\n', END), chunked),
    'closed',
  ],
  ['a chunk that is longer than its size', post(join(chunk(GOOD, '10'), END), chunked), 'closed'],
  [
    'a chunk that is shorter than its size',
    post(join(chunk(GOOD, 'ffff'), END), chunked),
    'closed',
    'half-close',
  ],
  [
    'a chunk with line feeds only',
    post(join(GOOD.length.toString(16), '\n', GOOD, '\n', '0\n\n'), chunked),
    'closed',
  ],
  ['a chunked body without a last chunk', post(chunk(GOOD), chunked), 'closed', 'half-close'],
  [
    'a chunked body without a last chunk, and the client waits',
    post(chunk(GOOD), chunked),
    'closed',
    'wait',
  ],
  [
    'a chunk extension of 100 kB',
    post(join(`5;${'a'.repeat(100_000)}\r\nhello\r\n`, END), chunked),
    'closed',
  ],
  [
    'a content-length and chunks',
    post(join(chunk(GOOD), END), { ...chunked, 'content-length': '5' }),
    refused.http,
  ],
  [
    'the transfer-encoding gzip, chunked, of which the server ignores gzip',
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
  ['a gzip body', post(gzipSync(GOOD), { 'content-encoding': 'gzip' }), refused.malformed],
  [
    'a gzip bomb',
    post(gzipSync(Buffer.alloc(10_000_000)), { 'content-encoding': 'gzip' }),
    refused.malformed,
  ],
  ['a plain body declared as gzip', post(GOOD, { 'content-encoding': 'gzip' }), accepted],
  ['the expectation 100-continue', post(GOOD, { expect: '100-continue' }), accepted],
  ['an unknown expectation', post(GOOD, { expect: 'nonsense' }), { status: 417, code: null }],
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
  ['an unknown method', line(`NONSENSE ${PATH} HTTP/1.1`), refused.http],
  ['a method in lower case', line(`post ${PATH} HTTP/1.1`), refused.http],
  ['the method CONNECT', line('CONNECT example.com:443 HTTP/1.1'), 'closed'],
  ['no method', line(` ${PATH} HTTP/1.1`), refused.http],
  ['no path', line('POST HTTP/1.1'), refused.http],
  ['HTTP/0.9', latin1(`POST ${PATH}\r\n\r\n`), refused.signedOut],
  ['HTTP/9.9', line(`POST ${PATH} HTTP/9.9`), refused.http],
  ['the connection preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', refused.http],
  ['a TLS handshake', latin1('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'), refused.http],
  ['nonsense', 'nonsense\r\n\r\n', refused.http],
  ['nothing', '', 'closed', 'half-close'],
  ['three spaces, and the client waits', ' '.repeat(3), 'closed', 'wait'],
  ['half a request line', 'POST /md-ed', 'closed', 'half-close'],
  [
    'half of the headers, and the client disconnects',
    post(GOOD).subarray(0, 80),
    'closed',
    'disconnect',
  ],
  ['half of the headers, and the client waits', post(GOOD).subarray(0, 80), 'closed', 'wait'],
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
    'a folded content-type',
    post(GOOD, { 'content-type': 'multipart/form-data;\r\n boundary=x' }),
    'closed',
  ],
  ['the absolute form of the URL', post(GOOD, {}, `http://evil.example${PATH}`), accepted],
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
    'an invalid bearer token and valid cookies',
    post(GOOD, { authorization: 'Bearer ?', cookie: openSession('ada').cookie }),
    refused.csrf,
  ],
  [
    'no authorization and an incomplete body',
    post('x'.repeat(1000), { authorization: null, 'content-length': '100000000' }),
    refused.signedOut,
    'half-close',
  ],
]

export const transport: readonly HostileCase[] = [
  ...lengths,
  ...encodings,
  ...requests,
  ...authorizations,
].map(toCase)
