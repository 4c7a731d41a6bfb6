import { describe, expect, it } from 'vitest'
import { extractMediaUrls } from '../../src/node/extract-media-urls.ts'

describe('extractMediaUrls', () => {
  it('returns each URL once, decoded', () => {
    const text =
      '![a](/a&amp;b.png) [c](</a\\&b.png> "t") <video src="/v%20w.mp4" poster=/p.png></video>'
    expect(extractMediaUrls(text)).toEqual(new Set(['/a&b.png', '/v%20w.mp4', '/p.png']))
  })

  it('skips anchors of raw HTML, which are neither link syntax nor media', () => {
    expect(extractMediaUrls('<a href="/a.pdf">a</a>')).toEqual(new Set())
  })

  it.each(['', null, undefined])('returns an empty set for %j', (text) => {
    expect(extractMediaUrls(text)).toEqual(new Set())
  })

  it.each([0, true, [], {}, new Uint8Array(1)])('rejects %j', (text) => {
    expect(() => extractMediaUrls(text as never)).toThrow(
      new TypeError(`text must be a string, not ${typeof text}`),
    )
  })
})
