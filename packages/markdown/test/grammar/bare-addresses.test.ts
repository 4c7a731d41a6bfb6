import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  bareAddressAt,
  bareAddressUrl,
  mailAddressAt,
  mailAddressUrl,
} from '../../src/grammar/bare-addresses.ts'

function addressesIn(text: string, find: typeof bareAddressAt): string[] {
  const found: string[] = []
  for (let at = 0; at < text.length; at++) {
    const address = find(text, at)
    if (address === null) continue
    found.push(text.slice(address.start, address.end))
    at = address.end - 1
  }
  return found
}

const webAddresses = (text: string) => addressesIn(text, bareAddressAt)
const mailAddresses = (text: string) =>
  addressesIn(text, (some, at) => (some[at] === '@' ? mailAddressAt(some, at) : null))

type Row = readonly [text: string, ...addresses: string[]]

function examples(name: string, find: (text: string) => string[], rows: readonly Row[]): void {
  describe(name, () => {
    it.each(rows)('%s', (text, ...addresses) => expect(find(text)).toEqual(addresses))
  })
}

examples('a web address begins', webAddresses, [
  ['http://a.b https://a.b HTTPS://a.b', 'http://a.b', 'https://a.b', 'HTTPS://a.b'],
  ['www.a Www.a WWW.a', 'www.a', 'Www.a', 'WWW.a'],
  ['ftp://a.b //a.b a.b README.md http:/a.b'],
  [
    '*www.a _www.b ~www.c (www.d ["www.e <b>www.f ==www.g',
    'www.a',
    'www.b',
    'www.c',
    'www.d',
    'www.e',
    'www.f',
    'www.g',
  ],
  ['xwww.a 1www.b éwww.c .www.d -www.e /www.f =www.g \\www.h'],
  ['"http://a 見http://b :http://c', 'http://a', 'http://b', 'http://c'],
  ['xhttp://a 1http://b <http://c \\http://d'],
])

examples('its host', webAddresses, [
  ['http://localhost:3000/x http://127.0.0.1/', 'http://localhost:3000/x', 'http://127.0.0.1/'],
  ['https://ü.de/ü https://i❤.ws', 'https://ü.de/ü', 'https://i❤.ws'],
  ['http://a-b.c- www.-.a', 'http://a-b.c-', 'www.-.a'],
  ['http:// http:/// http://.a http://-a http://_a.b.c http://[::1]/ http://\u0000 http://\ufffd'],
  ['www. www.. www..a www./a'],
  ['_http://a_ (*_www.a.b_*) http://a._. http://a_', 'http://a', 'www.a.b', 'http://a', 'http://a'],
  ['http://a_b.c.d www.a_b.c.d', 'http://a_b.c.d', 'www.a_b.c.d'],
  ['http://a_b http://a_b.c http://a.b_c http://d.a_b.c www.a_b www.a_b.c http://a_/b'],
  [`http://${'a'.repeat(253)} http://${'a'.repeat(254)}`, `http://${'a'.repeat(253)}`],
])

examples('it ends', webAddresses, [
  ['http://a/b<c http://a/b\tc http://a/b\u3000c', 'http://a/b', 'http://a/b', 'http://a/b'],
  ['http://a/*b*_c_~d~`e`"f"\\g$^{}|', 'http://a/*b*_c_~d~`e`"f"\\g$^{}|'],
  ['http://a/b?!.,:*_~\'"', 'http://a/b'],
  ['http://a. http://a/b.c.', 'http://a', 'http://a/b.c'],
  [
    '(http://a/(b)) http://a/b) http://a/b)c) http://a/(b',
    'http://a/(b)',
    'http://a/b',
    'http://a/b)c',
    'http://a/(b',
  ],
  [
    'http://a/b&hl; http://a/b&hl;&gt;). http://a/b&c=d',
    'http://a/b',
    'http://a/b',
    'http://a/b&c=d',
  ],
  ['http://a/b; http://a/b&; http://a/bc;', 'http://a/b', 'http://a/b&', 'http://a/bc'],
  ['[http://a/b] http://a/[b]c] http://a/b[c', 'http://a/b', 'http://a/[b]c', 'http://a/b[c'],
  ['http://a/b[^1] www.a[^1]', 'http://a/b', 'www.a'],
  ['==http://a/b==c http://a/b==', 'http://a/b', 'http://a/b=='],
  ['“http://a/b” （http://a/b）。 \\*http://a/b\\*', 'http://a/b', 'http://a/b', 'http://a/b'],
  ['http://u:p@a/b http://a/b%00%20c', 'http://u:p@a/b', 'http://a/b%00%20c'],
])

it('a web address ends at a limit', () => {
  expect(bareAddressAt('http://a.b/c', 4, 11)).toEqual({ start: 0, end: 11 })
  expect(bareAddressAt('http://a.b/c', 4, 8)).toEqual({ start: 0, end: 8 })
  expect(bareAddressAt('http://a.b/c', 4, 7)).toBeNull()
})

examples('a mail address', mailAddresses, [
  ['a@b.c a.b-c_d+e@f-g.h_i.jk', 'a@b.c', 'a.b-c_d+e@f-g.h_i.jk'],
  ['(a@b.c), a@b.c. *a@b.c*', 'a@b.c', 'a@b.c', 'a@b.c'],
  [
    'mailto:a@b.c MAILTO:a@b.c xmailto:a@b.c xmpp:a@b.c',
    'mailto:a@b.c',
    'MAILTO:a@b.c',
    'a@b.c',
    'a@b.c',
  ],
  ['a@b @b.c a@.b a@b+c.d a@b.c- a@b.c_ a@b..c'],
  ['name@1.2.3 a@127.0.0.1 a@b.c1'],
  ['éa@b.c a@b.cé a@ü.de /a@b.c a@b@c.d'],
])

it('the URL of an address has a scheme', () => {
  expect(['http://a', 'www.a', 'WWW.A'].map(bareAddressUrl)).toEqual([
    'http://a',
    'http://www.a',
    'http://WWW.A',
  ])
  expect(['a@b.c', 'mailto:a@b.c'].map(mailAddressUrl)).toEqual(['mailto:a@b.c', 'mailto:a@b.c'])
})

it('an address has neither white space nor an end of a sentence', () => {
  const pieces = [
    'http://',
    'https://',
    'www.',
    'a',
    '.',
    '_',
    '-',
    '(',
    ')',
    '&',
    ';',
    ' ',
    '<',
    '[',
    ']',
    '"',
    '@',
    '==',
    '\\',
    '。',
  ]
  const texts = fc
    .array(fc.constantFrom(...pieces), { maxLength: 20 })
    .map((chosen) => chosen.join(''))
  fc.assert(
    fc.property(texts, (text) => {
      for (const address of [...webAddresses(text), ...mailAddresses(text)]) {
        expect(address).toMatch(/^(?:https?:\/\/[^\s<]+|www\.[^\s<]+|[^\s<]+@[^\s<]+)$/)
        expect(address).not.toMatch(/[?!.,:*_~'";\\。]$/)
      }
    }),
  )
})
