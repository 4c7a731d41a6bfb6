import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { DEFAULT_HIGHLIGHT_LANGUAGES } from '../../src/highlighting/highlight-languages.ts'
import { HighlighterOnDemand } from '../../src/highlighting/highlighter-on-demand.ts'
import { findHighlighter } from '../../src/node/find-highlighter.ts'
import { SAMPLES } from './samples.ts'

const all = DEFAULT_HIGHLIGHT_LANGUAGES

describe('HighlighterOnDemand', () => {
  it.each(all)('returns the same bytes as the server highlighter: %s', async (name) => {
    const highlighter = new HighlighterOnDemand(all)
    const code = SAMPLES[name]
    await highlighter.prepare(`\`\`\`${name}\n${code}\n\`\`\``)
    expect(highlighter.highlight(code, name)).toContain('<span')
    expect(highlighter.highlight(code, name)).toBe(findHighlighter(all)?.(code, name))
  })

  it('loads nothing for a text without code in a language, and loads nothing twice', async () => {
    const highlighter = new HighlighterOnDemand(['css', 'json'])
    expect(highlighter.prepare('no code at all, `only` a span\n\n```\na\n```')).toBeNull()
    await highlighter.prepare('```css\n```')
    expect(highlighter.prepare('text\n\n```json\n```\n\n~~~css\n')).toBeNull()
    expect(highlighter.highlight('a{}', 'css')).toContain('hljs-selector-tag')
    expect(highlighter.highlight('[1]', 'json')).toContain('hljs-number')
    expect(new HighlighterOnDemand([]).prepare('```css')).toBeNull()
  })

  it('supports texts that are prepared concurrently', async () => {
    const highlighter = new HighlighterOnDemand(['css', 'json'])
    await Promise.all([highlighter.prepare('```css'), highlighter.prepare('```json')])
    expect(highlighter.highlight('[1]', 'json')).toContain('hljs-number')
  })

  const parser = new MarkdownIt({ html: true })
  const pieces = fc.constantFrom(
    ...[
      '`',
      '``',
      '```',
      '~~~',
      '~~~~',
      ' ',
      '\t',
      '\u00a0',
      '\n',
      '\r\n',
      '    ',
      '> ',
      '- ',
      '1. ',
      'js',
      'c++',
      'a',
    ],
    ...['\\', '&amp;', '&#106;', '{x}', '<p>', '|'],
  )
  it('finds code wherever a parser finds it', () => {
    const highlighter = new HighlighterOnDemand(['css'])
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const text = parts.join('')
        const hasLanguage = parser.parse(text, {}).some(({ type, info }) => {
          return type === 'fence' && parser.utils.unescapeAll(info).trim() !== ''
        })
        if (hasLanguage) expect(highlighter.prepare(text)).not.toBeNull()
      }),
      { numRuns: 5_000, endOnFailure: true },
    )
  })
})
