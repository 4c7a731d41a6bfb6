import { describe, expect, it } from 'vitest'
import { cpuSeconds } from '../../../../tests/support/cpu-seconds.ts'
import { findMediaIds } from '../../src/media-urls/media-id.ts'
import { findMediaUrls, rewriteUrls } from '../../src/media-urls/urls-in-text.ts'
import { extractMediaUrls, matchMediaUrls } from '../../src/node/extract-media-urls.ts'
import { hostileMarkdown } from './support/hostile-markdown.ts'

const length = 100_000
// The limit applies to CPU time. A quadratic algorithm takes far longer, and a linear one far less.
const limitSeconds = 2

describe('hostile texts (F11)', () => {
  it.each(Object.entries(hostileMarkdown))('are read in linear time: %s', (_name, family) => {
    const text = family(length)
    const readAll = (): void => {
      extractMediaUrls(text)
      matchMediaUrls(text)
      Array.from(findMediaUrls(text))
      findMediaIds(text)
      rewriteUrls(text, new Map([['/u', '/v']]))
    }
    expect(cpuSeconds(readAll, limitSeconds)).toBeLessThan(limitSeconds)
  })

  it('do not exhaust the stack', () => {
    const deep = 100_000
    const attributes = `<a ${'b '.repeat(deep)}>[a](/b)`
    expect([...extractMediaUrls(attributes)]).toEqual(['/b'])
    expect([...extractMediaUrls(`<img srcset="${'/a 1x,'.repeat(deep)}">`)]).toEqual(['/a'])
    // The renderer also stops at a nesting depth of 100 quotes.
    expect([...extractMediaUrls(`${'> '.repeat(deep)}[a](/b)`)]).toEqual([])
    expect([...extractMediaUrls(`${'|a'.repeat(deep)}\n${'|-'.repeat(deep)}\n| ![a](/b)`)]).toEqual(
      ['/b'],
    )
  })
})

describe('texts that are longer than the renderer parses', () => {
  it('are scanned with patterns, because a parser would need seconds', () => {
    const text = `${'> '.repeat(2_000_000)}![a](/b)`
    expect([...extractMediaUrls(text)]).toEqual(['/b'])
    expect(cpuSeconds(() => extractMediaUrls(text), limitSeconds)).toBeLessThan(limitSeconds)
  })
})

describe('malformed URLs (F23)', () => {
  it('are in the set unchanged', () => {
    const urls = [
      'http://[::1',
      'http://[',
      '//',
      'http://a:b:c',
      '%',
      '%ff',
      '\ud800',
      'data:',
      'http://\u0001'.slice(0, 7),
    ]
    for (const url of urls) expect([...extractMediaUrls(`![a](<${url}>)`)]).toEqual([url])
  })
})
