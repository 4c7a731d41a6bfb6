import { Buffer } from 'node:buffer'

export type HostileBody = readonly [name: string, body: string | Uint8Array, outcome: string]

const MALFORMED = '400 malformed_json'
const INVALID = '400 invalid_request'
const nested = (open: string, close: string, levels: number, inside = '1'): string =>
  open.repeat(levels) + inside + close.repeat(levels)

/** Bodies that are rejected by every endpoint that reads a body. */
export const BODIES: readonly HostileBody[] = [
  ['a blank', ' ', MALFORMED],
  ['an open object', '{', MALFORMED],
  ['an open list', '[', MALFORMED],
  ['half a property', '{"password":', MALFORMED],
  ['a trailing comma', '{"password":"a",}', MALFORMED],
  ['single quotes', "{'password':'a'}", MALFORMED],
  ['a comment', '{"password":"a"/**/}', MALFORMED],
  ['two values', '{}{}', MALFORMED],
  ['NaN', '{"password":NaN}', MALFORMED],
  ['undefined', 'undefined', MALFORMED],
  ['a control character in a text', '{"password":"\u0001"}', MALFORMED],
  ['a bad escape', '{"password":"\\x41"}', MALFORMED],
  ['a form', 'password=a', MALFORMED],
  ['HTML', '<html></html>', MALFORMED],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), MALFORMED],
  ['an overlong encoding', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), MALFORMED],
  ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), MALFORMED],
  ['a character that is cut off', Buffer.from([0x22, 0xe2, 0x82]), MALFORMED],
  ['UTF-16', Buffer.from('{"password":"a"}', 'utf16le'), MALFORMED],
  [
    'UTF-16 with a byte order mark',
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('{}', 'utf16le')]),
    MALFORMED,
  ],
  ['zeros', Buffer.alloc(1000), MALFORMED],
  ['two UTF-8 byte order marks', '\ufeff\ufeff{}', MALFORMED],
  ['null', 'null', INVALID],
  ['true', 'true', INVALID],
  ['a number', '7', INVALID],
  ['a huge number', '1e999', INVALID],
  ['a text', '"password"', INVALID],
  ['a list', '[]', INVALID],
  ['a list of objects', '[{"password":"a"}]', INVALID],
  [
    '1,000 unknown members',
    `{${Array.from({ length: 1000 }, (_, index) => `"m${index}":${index}`).join()}}`,
    INVALID,
  ],
  ['lists in lists', nested('[', ']', 8000), INVALID],
  ['objects in objects', nested('{"a":', '}', 2500), INVALID],
  ['lists that never close', '['.repeat(16_000), INVALID],
  ['100,000 levels', nested('[', ']', 100_000), '413 body_too_large'],
  ['100,000 levels of objects', nested('{"a":', '}', 100_000), '413 body_too_large'],
  ['one byte too many', `"${'a'.repeat(16_383)}"`, '413 body_too_large'],
  ['a megabyte', `{"password":"${'a'.repeat(1_000_000)}"}`, '413 body_too_large'],
  ['a megabyte of digits', '9'.repeat(1_000_000), '413 body_too_large'],
]

/** Bodies with only unknown properties. Endpoints treat them as an empty object. */
export const UNKNOWN_MEMBERS: readonly (readonly [name: string, body: string])[] = [
  ['a UTF-8 byte order mark, and an unknown property', '\ufeff{"unknown":1}'],
  ['an unknown property', '{"admin":true}'],
  ['a property without a name', '{"":1}'],
  ['__proto__', '{"__proto__":{"password":"pw","username":"ada","keep_current":true,"name":"x"}}'],
  ['constructor', '{"constructor":{"prototype":{"password":"pw"}}}'],
  ['toString', '{"toString":"x"}'],
  ['hasOwnProperty', '{"hasOwnProperty":null}'],
  ['a name of 10,000 characters', `{"${'n'.repeat(10_000)}":1}`],
  ['an unknown property twice', '{"admin":false,"admin":true}'],
  ['a name with U+0000', '{"pass\\u0000word":"a"}'],
  ['a name that is a lone surrogate', '{"\\ud800":1}'],
]

/** Values that no text property accepts. */
export const NO_TEXTS: readonly string[] = [
  'null',
  '7',
  '-0',
  '1e308',
  '1e999',
  'true',
  '[]',
  '["pw"]',
  '{}',
  '{"toString":"pw"}',
  '""',
  `"${'x'.repeat(5000)}"`,
]

/** Values that no boolean property accepts. */
export const NO_BOOLEANS: readonly string[] = [
  'null',
  '0',
  '1',
  '"true"',
  '""',
  '[]',
  '[true]',
  '{}',
]

/** Names that no device accepts. Names may be empty and are trimmed. */
export const NO_NAMES: readonly string[] = [
  'null',
  '7',
  'true',
  '[]',
  '{}',
  `"${'x'.repeat(256)}"`,
  '"a\\u0000b"',
  '"a\\nb"',
  '"a\\u007fb"',
  '"a\\u0085b"',
  '"\\ud800"',
  '"\\udc00a"',
]

/** Content types that are not JSON in UTF-8. */
export const CONTENT_TYPES: readonly string[] = [
  'text/plain',
  'text/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonx',
  'application/xjson',
  'application/json+x',
  'application',
  '/json',
  '*/*',
  'application/json; charset=latin1',
  'application/json; charset=utf-16',
  'application/json;charset="iso-8859-1"',
  'text/plain, application/json',
  'application/octet-stream',
  'x'.repeat(4000),
]
