import { createRequire } from 'node:module'
import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { DEFAULT_HIGHLIGHT_LANGUAGES } from '../../src/highlighting/highlight-languages.ts'
import {
  findCodeLanguages,
  HighlighterOnDemand,
} from '../../src/highlighting/highlighter-on-demand.ts'
import { languagesFor } from '../../src/highlighting/load-highlighter.ts'
import { findHighlighter } from '../../src/node/find-highlighter.ts'
import { SAMPLES } from './samples.ts'

const require = createRequire(import.meta.url)
const all = DEFAULT_HIGHLIGHT_LANGUAGES

/** The aliases of a grammar of highlight.js, and the languages that occur inside it. */
function readGrammar(name: string): { aliases: string[]; parts: string[] } {
  const parts = new Set<string>()
  const seen = new Set<unknown>()
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    for (const [key, member] of Object.entries(value)) {
      if (key === 'subLanguage') for (const part of [member].flat()) parts.add(part)
      walk(member)
    }
  }
  const grammar = require(`highlight.js/lib/languages/${name}`)(
    require('highlight.js/lib/core').newInstance(),
  )
  walk(grammar)
  return { aliases: grammar.aliases ?? [], parts: [...parts].sort() }
}

describe('languagesFor', () => {
  it.each(all)('knows all names of %s, and what stands inside it', (name) => {
    const { aliases, parts } = readGrammar(name)
    for (const alias of [name, ...aliases]) {
      expect([alias, ...languagesFor([alias], [name])]).toEqual([alias, name])
      expect(languagesFor([`Language-${alias.toUpperCase()}`], [name])).toEqual(new Set([name]))
    }
    for (const part of parts)
      expect(languagesFor([name], [name, part])).toEqual(new Set([name, part]))
    expect([
      ...languagesFor([name], [name, ...all.filter((other) => !parts.includes(other))]),
    ]).toEqual([name])
  })

  it('follows parts of parts, as far as the list goes', () => {
    expect([...languagesFor(['md'], all)].sort()).toEqual([
      'css',
      'graphql',
      'javascript',
      'markdown',
      'xml',
    ])
    expect([...languagesFor(['md'], ['css', 'javascript', 'markdown'])]).toEqual(['markdown'])
  })

  it('takes no chances with escapes and entities, and knows nothing else', () => {
    expect(languagesFor(['c\\+\\+'], ['cpp', 'css'])).toEqual(new Set(['cpp', 'css']))
    expect(languagesFor(['&#106;s'], ['javascript'])).toEqual(new Set(['javascript']))
    expect(languagesFor(['mermaid', 'constructor', '', 'js'], ['css'])).toEqual(new Set())
  })
})

describe('findCodeLanguages', () => {
  it('finds languages wherever code may begin', () => {
    const text = '> ```js\n> x\n> ```\n\n- 1. ~~~~ py `x`\n\n\t````\u00a0c++ {1}\n```\n~~~\n'
    expect([...findCodeLanguages(text)]).toEqual(['js', 'py', 'c++'])
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
  it('finds what a parser finds', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const text = parts.join('')
        const words = [...findCodeLanguages(text)]
        const found = new Set(words.map((word) => parser.utils.unescapeAll(word)))
        for (const { type, info } of parser.parse(text, {})) {
          const [word = ''] = parser.utils.unescapeAll(info).trim().split(/\s/, 1)
          // Only what is decoded may hold blanks, and then any language is possible.
          if (type === 'fence' && word !== '' && !words.some((each) => /[\\&]/.test(each)))
            expect(found).toContain(word)
        }
      }),
      { numRuns: 20_000 },
    )
  })
})

describe('HighlighterOnDemand', () => {
  it.each(all)('gives the same bytes as servers do: %s', async (name) => {
    const highlighter = new HighlighterOnDemand(all)
    const code = SAMPLES[name]
    await highlighter.prepare(`\`\`\`${name}\n${code}\n\`\`\``)
    expect(highlighter.highlight(code, name)).toContain('<span')
    expect(highlighter.highlight(code, name)).toBe(findHighlighter(all)?.(code, name))
  })

  it('has nothing to do for what it knows', async () => {
    const highlighter = new HighlighterOnDemand(['css'])
    expect(highlighter.prepare('no code at all, `only` a span')).toBeNull()
    await highlighter.prepare('```css\n```\n\n~~~mermaid\n')
    expect(highlighter.prepare('text\n\n```mermaid\n```\n\n~~~css\n')).toBeNull()
    expect(highlighter.highlight('a{}', 'css')).toContain('hljs-selector-tag')
    expect(new HighlighterOnDemand([]).prepare('```css')).toBeNull()
  })

  it('has the languages of all texts that are prepared at the same time', async () => {
    const highlighter = new HighlighterOnDemand(['css', 'json'])
    await Promise.all([highlighter.prepare('```css'), highlighter.prepare('```json')])
    expect(highlighter.highlight('a{}', 'css')).toContain('hljs-selector-tag')
    expect(highlighter.highlight('[1]', 'json')).toContain('hljs-number')
  })

  it('keeps the languages of texts before', async () => {
    const highlighter = new HighlighterOnDemand(['css', 'json'])
    await highlighter.prepare('```css')
    await highlighter.prepare('```json')
    expect(highlighter.highlight('a{}', 'css')).toContain('hljs-selector-tag')
    expect(highlighter.highlight('[1]', 'json')).toContain('hljs-number')
  })
})
