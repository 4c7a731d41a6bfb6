import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bytes, GOOD, join, latin1, post } from './hostile-case.ts'
import {
  type Answer,
  type HostileServer,
  openHostileServer,
  openSession,
} from './hostile-server.ts'

type Headers = Readonly<Record<string, string | null>>
type Row = readonly [
  name: string,
  body: Bytes,
  status: number,
  code: string | null,
  headers?: Headers,
]

const FINALIZE = '/md-editor/finalize'
const JSON_TYPE = { 'content-type': 'application/json' }
const text = (value: string): string => JSON.stringify({ text: value })
const id = `m${'0'.repeat(26)}`

/** Texts that must be accepted without an error and without a replacement. */
const texts: readonly (readonly [name: string, text: string])[] = [
  ['no characters', ''],
  ['NULs', '\0'.repeat(1000)],
  ['control characters', '\x01\x02\x1b\x7f\x80\x9f'],
  ['all kinds of line breaks', '\r\n\n\r\u2028\u2029\x85'],
  ['a lone surrogate', '![a](/media/md-editor/tmp/\ud800.png)'],
  ['surrogates in the wrong order', '\udc00\ud800'],
  ['noncharacters', '\ufffe\uffff\u{1fffe}'],
  ['bidirectional controls', '\u202e![a](/media/md-editor/tmp/x)\u202c'],
  ['links to __proto__', '![__proto__](__proto__) [constructor]\n\n[constructor]: __proto__'],
  ['an unclosed HTML tag', '<img src="/media/md-editor/tmp/'],
  ['URLs with an invalid or empty host', '![a](http://[::1/a) ![b](//) ![c](http://)'],
  [
    'invalid percent-encodings',
    '![a](/media/md-editor/tmp/%) ![b](/media/%zz) ![c](/media/%c3%28)',
  ],
  ['an id without a name', `![a](/media/md-editor/tmp/${id})`],
  ['dot segments', `![a](/media/md-editor/tmp/../../../etc/${id}-passwd)`],
  ['SQL', `![a](/media/md-editor/tmp/'; DROP TABLE quillgate_media; --)`],
  ['brackets', '['.repeat(20_000)],
  ['quotes', '> '.repeat(5000)],
  ['lists', '- '.repeat(5000)],
  ['backticks', '`'.repeat(20_000)],
  ['unclosed tags', '<a '.repeat(20_000)],
  ['a table', `|${'-|'.repeat(5000)}\n`.repeat(3)],
  ['link definitions', '[a]: /x\n'.repeat(5000)],
]

const bodies: readonly Row[] = [
  ['an empty body', '', 400, 'malformed_json'],
  ['a space', ' ', 400, 'malformed_json'],
  ['half an object', '{"text":"a"', 400, 'malformed_json'],
  ['an object and a second brace', '{"text":"a"}}', 400, 'malformed_json'],
  ['two objects', '{"text":"a"}{"text":"b"}', 400, 'malformed_json'],
  ['single quotes', "{'text':'a'}", 400, 'malformed_json'],
  ['no quotes', '{text:a}', 400, 'malformed_json'],
  ['a comma at the end', '{"text":"a",}', 400, 'malformed_json'],
  ['a comment', '/**/{"text":"a"}', 400, 'malformed_json'],
  ['a line break in a string', '{"text":"a\nb"}', 400, 'malformed_json'],
  ['a NUL in a string', '{"text":"a\0b"}', 400, 'malformed_json'],
  ['a bad escape', '{"text":"\\x41"}', 400, 'malformed_json'],
  ['half an escape', '{"text":"\\u00"}', 400, 'malformed_json'],
  ['NaN', '{"text":NaN}', 400, 'malformed_json'],
  ['undefined', '{"text":undefined}', 400, 'malformed_json'],
  ['a script', 'alert(1)', 400, 'malformed_json'],
  ['a multipart form', GOOD, 400, 'malformed_json'],
  ['invalid UTF-8', latin1('{"text":"\xff"}'), 400, 'malformed_json'],
  ['overlong UTF-8', latin1('{"text":"\xc0\xaf"}'), 400, 'malformed_json'],
  ['UTF-16', Buffer.from(text('a'), 'utf16le'), 400, 'malformed_json'],
  ['gzip', gzipSync(text('a')), 400, 'malformed_json', { 'content-encoding': 'gzip' }],
  ['unclosed brackets', '['.repeat(200_000), 400, 'invalid_request'],
  ...['1', 'true', 'null', '[]', '{}', '["a"]', '{"a":"b"}'].map(
    (value): Row => [`the text ${value}`, `{"text":${value}}`, 400, 'invalid_request'],
  ),
  ...[
    '1',
    'true',
    'null',
    '"a"',
    '[]',
    '[{"text":"a"}]',
    '{}',
    '{"Text":"a"}',
    '{"text ":"a"}',
    '{"__proto__":{"text":"a"}}',
    '{"constructor":{"prototype":{"text":"a"}}}',
  ].map((value): Row => [`the body ${value}`, value, 400, 'invalid_request']),
  [
    'a deeply nested text',
    `{"text":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    400,
    'invalid_request',
  ],
  ['a byte order mark', `\ufeff${text('a')}`, 200, null],
  ['a duplicate key with a valid last value', '{"text":1,"text":"a"}', 200, null],
  ['a __proto__ key next to the text', '{"__proto__":{"a":1},"text":"a"}', 200, null],
  [
    'many keys',
    `{"text":"a",${Array.from({ length: 400 }, (_, index) => `"k${index}":1`).join()}}`,
    200,
    null,
  ],
  [
    'too many keys',
    `{"text":"a",${Array.from({ length: 500 }, (_, i) => `"k${i}":1`).join()}}`,
    400,
    'invalid_request',
  ],
  ['a huge number', `{"text":"a","n":1e${'9'.repeat(1000)}}`, 200, null],
  ['a text over the limit', text('a'.repeat(4 * 1024 * 1024 + 1)), 413, 'text_too_large'],
  [
    'a text over the limit in bytes, not in characters',
    text('ü'.repeat(2 * 1024 * 1024 + 1)),
    413,
    'text_too_large',
  ],
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'text/json',
    'application/json, text/plain',
    'json',
    '*/*',
  ].map(
    (type): Row => [
      `JSON as ${type}`,
      text('a'),
      415,
      'unsupported_media_type',
      { 'content-type': type },
    ],
  ),
  ['JSON without a type', text('a'), 415, 'unsupported_media_type', { 'content-type': null }],
  [
    'JSON in UTF-16',
    text('a'),
    415,
    'unsupported_media_type',
    { 'content-type': 'application/json; charset=utf-16' },
  ],
  [
    'JSON in Latin 1',
    text('a'),
    415,
    'unsupported_media_type',
    { 'content-type': 'application/json; charset=iso-8859-1' },
  ],
  ...[
    'APPLICATION/JSON',
    'application/json; charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/vnd.api+json',
  ].map((type): Row => [`JSON as ${type}`, text('a'), 200, null, { 'content-type': type }]),
  ['no credentials', text('a'), 401, 'authentication_required', { authorization: null }],
  [
    'an invalid bearer token and valid cookies',
    text('a'),
    403,
    'csrf_failed',
    { authorization: 'Bearer ?', cookie: openSession('ada').cookie },
  ],
  [
    'no CSRF token',
    text('a'),
    403,
    'csrf_failed',
    { authorization: null, cookie: openSession('ada').cookie },
  ],
  [
    'a CSRF token in the body only',
    JSON.stringify({ text: 'a', csrf_token: openSession('ada').token }),
    403,
    'csrf_failed',
    { authorization: null, cookie: openSession('ada').cookie },
  ],
]

let server: HostileServer
beforeAll(async () => {
  server = await openHostileServer()
})
afterAll(() => server.close())

const send = (body: Bytes, headers: Headers = {}): Promise<Answer> => {
  return server.exchange([post(body, { ...JSON_TYPE, ...headers }, FINALIZE)])
}

describe('POST /md-editor/finalize, hostile', () => {
  it.each(bodies.map((row) => [row[0], row] as const))(
    '%s',
    async (_title, [, body, status, code, headers]) => {
      const answer = await send(body, headers)
      expect(answer.status).toBe(status)
      const json = JSON.parse(answer.body.toString()) as { code?: string }
      expect(json.code ?? null).toBe(code)
      expect(server.problems).toEqual([])
    },
  )

  it.each(texts)('replaces nothing in a text of %s', async (_name, value) => {
    const answer = await send(text(value))
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body.toString())).toEqual({ replacements: {}, missing: [] })
    expect(server.problems).toEqual([])
  })

  it('finalizes an upload next to hostile text', async () => {
    const uploaded = await server.exchange([post(GOOD)])
    const { url } = JSON.parse(uploaded.body.toString()) as { url: string }
    // Uses only the first nine texts. A text that opens code or HTML would swallow the next texts.
    const hostile = texts.slice(0, 9).map(([, value]) => value)
    const answer = await send(text(`[a](${url})\n\n${hostile.join('\n\n')}`))
    const { replacements } = JSON.parse(answer.body.toString()) as {
      replacements: Record<string, string>
    }
    expect(Object.keys(replacements)).toEqual([url])
    expect(await server.files()).toHaveLength(1)
    await server.clear()
  })
})

const bytes = (size: number): string => 'x'.repeat(size)

describe('GET /media/…, hostile', () => {
  const paths: readonly string[] = [
    '/media',
    '/media/',
    '/media//',
    '/media/..',
    '/media/../',
    '/media/.',
    '/media/%2e',
    '/media/%2e%2e/%2e%2e/etc/passwd',
    '/media/..%2f..%2fetc%2fpasswd',
    '/media/..%5c..%5cetc',
    '/media/....//....//etc/passwd',
    '/media/%252e%252e/etc/passwd',
    '/media/%c0%ae%c0%ae/etc/passwd',
    '/media/%00',
    '/media/a%00.png',
    '/media/%ff',
    '/media/%',
    '/media/%zz',
    '/media/quillgate-installation.txt',
    '/media/md-editor',
    '/media/md-editor/',
    '/media/md-editor/tmp/',
    `/media/md-editor/tmp/${id}`,
    `/media/md-editor/tmp/${id}-`,
    `/media/md-editor/tmp/${id}-a.txt`,
    `/media/md-editor/tmp/${id.toUpperCase()}-a.txt`,
    `/media/${id}-a.txt`,
    `/media/md-editor/tmp/${id}-${bytes(8000)}`,
    `/media/${'a/'.repeat(3000)}`,
    `/media/md-editor/tmp/${id}-a.txt/..`,
    `/media/md-editor/tmp/*`,
    `/media/file:///etc/passwd`,
    '/media/http://evil.example/',
    '/media/%0d%0aset-cookie:a=b',
    '/media/~root',
    '/media/con',
    '/media/.git/config',
    '/media/.htaccess',
    '/media/%C3%A9',
    '/media/%F0%9F%98%80',
    '/media/%ED%A0%80',
  ]

  it.each(paths)('serves no file at %s', async (path) => {
    const answer = await server.exchange([
      `GET ${path} HTTP/1.1\r\nhost: example.com\r\nconnection: close\r\n\r\n`,
    ])
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(server.problems).toEqual([])
  })

  const variants: readonly (readonly [name: string, change: (url: string) => string])[] = [
    ['an encoded slash', (url) => url.replace('tmp/', 'tmp%2f')],
    ['an encoded backslash', (url) => url.replace('tmp/', 'tmp%5c')],
    ['a double encoding', (url) => url.replace('-a', '-%2561')],
    ['an empty segment', (url) => url.replace('tmp/', 'tmp//')],
    ['a slash at the end', (url) => `${url}/`],
    ['a NUL at the end', (url) => `${url}%00`],
    ['another extension', (url) => url.replace('.txt', '.html')],
    ['no extension', (url) => url.replace('.txt', '')],
    ['a second extension', (url) => `${url}.html`],
    ['a path after it', (url) => `${url}/x.html`],
    ['another folder', (url) => url.replace('/tmp/', '/uploads/')],
    ['an uppercase id', (url) => url.replace(/m[0-9a-z]{26}/, (found) => found.toUpperCase())],
    ['a space at the end', (url) => `${url}%20`],
    ['a dot at the end', (url) => `${url}.`],
    ['a Windows file stream', (url) => `${url}::$DATA`],
    ['a path parameter', (url) => `${url};a=b`],
  ]

  it.each(variants)('serves a file only at its own URL, not with %s', async (_name, change) => {
    const { url } = JSON.parse((await server.exchange([post(GOOD)])).body.toString()) as {
      url: string
    }
    const get = (path: string): Promise<Answer> => {
      return server.exchange([
        join(`GET ${path} HTTP/1.1\r\nhost: example.com\r\nconnection: close\r\n\r\n`),
      ])
    }
    expect((await get(change(url))).status).toBe(404)
    expect((await get(url)).body.toString()).toBe('hello')
    await server.clear()
  })
})
