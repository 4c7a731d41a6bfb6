import { describe, expect, it } from 'vitest'
import { DEFAULT_HIGHLIGHT_LANGUAGES } from '../../src/highlighting/highlight-languages.ts'
import { loadHighlighter } from '../../src/highlighting/load-highlighter.ts'
import { findHighlighter } from '../../src/node/find-highlighter.ts'
import { SAMPLES } from './samples.ts'

describe('the highlighter of browsers', () => {
  it.each(DEFAULT_HIGHLIGHT_LANGUAGES)(
    'returns the same bytes as the server highlighter: %s',
    async (name) => {
      const html = (await loadHighlighter(DEFAULT_HIGHLIGHT_LANGUAGES))?.(SAMPLES[name], name)
      expect(html).toContain('<span')
      expect(html).toBe(findHighlighter(DEFAULT_HIGHLIGHT_LANGUAGES)?.(SAMPLES[name], name))
    },
  )

  it('returns the same bytes for a shorter list', async () => {
    const list = ['markdown', 'xml']
    const html = (await loadHighlighter(list))?.(SAMPLES.xml, 'html')
    expect(html).toBe(findHighlighter(list)?.(SAMPLES.xml, 'html'))
    expect((await loadHighlighter(list))?.('a{}', 'css')).toBeNull()
  })

  it('skips missing languages', async () => {
    expect(await loadHighlighter([])).toBeNull()
    expect(await loadHighlighter(['erlang', 'constructor'])).toBeNull()
    expect((await loadHighlighter(['erlang', 'css']))?.('a{}', 'css')).toContain(
      'hljs-selector-tag',
    )
  })
})
