const UID = '01900000-0000-7000-8000-000000000000'

/** Texts at the end of a path that are not a UUID. */
export const NO_UIDS: readonly string[] = [
  'x',
  '0',
  '-1',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  'toString',
  UID.slice(1),
  `${UID}0`,
  UID.replaceAll('-', ''),
  UID.replaceAll('-', '_'),
  `{${UID}}`,
  `urn:uuid:${UID}`,
  `%20${UID}`,
  `${UID}%20`,
  `${UID}%0a`,
  `${UID}%00`,
  `%00${UID}`,
  UID.replace('0', '%d9%a0'), // An Arabic digit.
  UID.replace('0', 'g'),
  UID.replace('0', '%ef%bc%90'), // A full-width zero.
  UID.replace('-', '%2d%2d'),
  UID.replace('-', '%e2%80%90'), // The Unicode hyphen U+2010.
  `${UID}'--`,
  "'%20OR%20'1'='1",
  '%25',
  '%2e%2e%2f',
  '%c3%a4',
  '%f0%9f%92%a9',
  '..%2ftoken',
  'token%2frefresh',
  `${UID};a=b`,
  `${UID}.json`,
  '*',
  'a'.repeat(4000),
  '%00',
  '%ed%a0%80',
]

/** UUIDs in valid spellings that belong to no device. */
export const UNKNOWN_UIDS: readonly string[] = [
  UID,
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  UID.replace('0', '%30'),
]

/** Paths that resemble the path of an endpoint. */
export const PATHS: readonly string[] = [
  '/',
  '//',
  '/trusted-devices/',
  '/trusted-devices//',
  '//trusted-devices',
  '/trusted-devices/token/',
  '/trusted-devices//token',
  '/trusted-devices/token/refresh/',
  '/trusted-devices/token/refresh/more',
  '/trusted-devices/Token',
  '/Trusted-Devices',
  '/TRUSTED-DEVICES/TOKEN',
  '/trusted-devices;a=b',
  '/trusted-devices%2ftoken',
  '/trusted-devices%00',
  '/trusted-devices.json',
  '/trusted-devicesx',
  '/trusted-devices/..',
  '/trusted-devices/../admin',
  '/trusted-devices/%2e%2e/admin',
  '/trusted-devices/a/b/c',
  '/trusted-devices/openapi.json/',
  '/trusted-devices/openapi.yaml',
  '/trusted-devices/%',
  '/trusted-devices/%zz',
  '/trusted-devices/%c0%af',
  '/trusted-devices/\\..\\x',
  '/trusted-devices/a b',
  '/trusted-devices/\u00e4',
  '/trusted-devices?limit=1/token',
  '/trusted-devices#x',
  `/trusted-devices/${'a/'.repeat(1000)}`,
  `/trusted-devices/${'%41'.repeat(2000)}`,
  `/${'x'.repeat(20_000)}`,
  'http://example.com/trusted-devices/nothing/there',
  'https://localhost/trusted-devices/nothing/there',
  'trusted-devices',
  '*',
  '?',
]

/** Hostile queries. The list rejects all of them except the one with `limit[]`. */
export const QUERIES: readonly string[] = [
  'limit=0',
  'limit=101',
  'limit=-1',
  'limit=1.5',
  'limit=1e1',
  'limit=0x10',
  'limit=%31%30%31',
  'limit=',
  'limit=%00',
  'limit=999999999999999999999',
  'limit=NaN',
  'limit=Infinity',
  'limit=%d9%a1', // The Arabic digit 1.
  'limit[]=1%20',
  'cursor=',
  'cursor=x',
  'cursor=%00',
  'cursor=../../etc/passwd',
  `cursor=${'A'.repeat(1025)}`,
  `cursor=${'A'.repeat(200)}`,
  `cursor=${encode('1.x')}`,
  `cursor=${encode(`-1.${UID}`)}`,
  `cursor=${encode(`1e3.${UID}`)}`,
  `cursor=${encode(`9999999999999999.${UID}`)}`,
  `cursor=${encode(`1.${UID}x`)}`,
  `cursor=${encode(`1.${"' OR 1=1 -- ".padEnd(36)}`)}`,
  `cursor=${encode(UID)}`,
  `cursor=${encode('{"lastSeenAt":1}')}`,
]

/** Encodes a cursor in the same way as the server. */
export function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}
