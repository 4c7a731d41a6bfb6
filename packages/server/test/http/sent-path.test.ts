import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sentPath } from '../../src/http/sent-path.ts'

const piece = fc.constantFrom(
  '/',
  '/',
  '/',
  '.',
  '.',
  '%2e',
  '%2E',
  '%',
  '2',
  'e',
  'a',
  '\\',
  '?',
  '#',
  ':',
  ';',
  '{',
  'ü',
)

describe('sentPath', () => {
  it.each([
    ['/a/b', '/a/b'],
    ['/a/b?c=/../d', '/a/b'],
    ['//a', '//a'],
    ['/a..b/.c/d./...', '/a..b/.c/d./...'],
    ['/%61%2fb', '/%61%2fb'],
    ['http://a.test/b?c', '/b'],
    ['HTTPS://a.test:1/b', '/b'],
    ['http://[::1]:80/b', '/b'],
  ])('returns the path of %s as it was sent', (target, path) => {
    expect(sentPath(target)).toBe(path)
  })

  it.each([
    '/.',
    '/..',
    '/a/./b',
    '/a/%2e%2E/b',
    '/a/.%2e',
    '/a\\b',
    '/a#b',
    '/a?b#c',
    '/a\tb',
    'http://a.test/x/../b',
    'http://a.test',
    'http:/a',
    'http:///a',
    'http://a;b/c',
    "http://a'b/c",
    'http://a@b/c',
    'http://a:123456/b',
    'http://[::1/a',
    'ftp://a.test/b',
    'a',
    '*',
    '',
  ])('returns null for %j', (target) => {
    expect(sentPath(target)).toBeNull()
  })

  it('returns no path in which a URL parser would find other parts', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const path = sentPath(`/${pieces.join('')}`)
        fc.pre(path !== null)
        const { pathname } = new URL(`http://a.test${path}`)
        expect(pathname.replaceAll('%7B', '{').replaceAll('%C3%BC', 'ü')).toBe(path)
      }),
      { numRuns: 2000 },
    )
  })
})
