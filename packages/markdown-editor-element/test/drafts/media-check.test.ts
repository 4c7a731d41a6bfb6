import { describe, expect, it } from 'vitest'
import { temporaryUrls } from '../../src/drafts/media-check.ts'

describe('the temporary URLs of a text', () => {
  it('are found where they end in markdown and HTML, each once', () => {
    const text =
      '![a](/tmp/a.png) <img src="/tmp/b%20c.png"> `/tmp/d` /tmp/ and ![again](/tmp/a.png)'
    expect(temporaryUrls(text, '/tmp/')).toEqual(['/tmp/a.png', '/tmp/b%20c.png', '/tmp/d'])
    expect(temporaryUrls(text, '')).toEqual([])
  })

  it('do not begin within one another', () => {
    expect(temporaryUrls('/tmp/a/tmp/b /tmp/c', '/tmp/')).toEqual(['/tmp/a/tmp/b', '/tmp/c'])
    expect(temporaryUrls('/t/'.repeat(100_000), '/t/').length).toBeLessThan(10)
  })
})
