import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { expect, it } from 'vitest'
import { useFastLinks } from '../src/syntax/faster.ts'

// Simple URL fragments, then fragments that a URL parser normalizes, encodes or rejects.
const pieces = [
  ...[
    'a',
    'b1',
    'www',
    'example',
    '.com',
    '.',
    '..',
    '-',
    '_',
    '~',
    '!',
    '*',
    "'",
    '(',
    ')',
    '@',
    '+',
    '$',
    ',',
    ';',
  ],
  ...[
    '/',
    '//',
    '?',
    '#',
    '&',
    '=',
    ':',
    ':80',
    ':443',
    ':x',
    '127.0.0.1',
    '0x7f',
    '1',
    'xn--',
    'xn--nxasmq6b',
  ],
  ...[
    'A',
    '%',
    '%20',
    '%zz',
    'é',
    '例',
    ' ',
    '"',
    '<',
    '[',
    ']',
    '\\',
    '^',
    '`',
    '{',
    '|',
    '\t',
    '\ud800',
    '😀',
  ],
]
const starts = [
  'http://',
  'https://',
  'http://a.b',
  'https://a-b.example',
  'HTTP://',
  'ftp://',
  'mailto:',
  '/',
  '#',
  '?',
  '',
]
const plain = fc.constantFrom(...pieces.slice(0, 35))
const any = fc.constantFrom(...pieces)
const parts = fc.array(fc.oneof({ weight: 9, arbitrary: plain }, { weight: 1, arbitrary: any }), {
  maxLength: 8,
})
const url = fc
  .tuple(fc.constantFrom(...starts), parts)
  .map(([start, rest]) => start + rest.join(''))

it('the fast path returns the same links as the stock path', () => {
  const stock = new MarkdownIt()
  const fast = new MarkdownIt()
  let asked = 0
  fast.normalizeLink = (address) => {
    asked++
    return stock.normalizeLink(address)
  }
  useFastLinks(fast)
  const runs = 50_000
  fc.assert(
    fc.property(url, (address) => {
      expect(fast.normalizeLink(address)).toBe(stock.normalizeLink(address))
    }),
    { numRuns: runs },
  )
  expect(asked).toBeGreaterThan(runs / 10)
  expect(runs - asked).toBeGreaterThan(runs / 10)
})
