import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { boundGrammar, boundRepetitions } from '../../src/highlighting/bound-grammar.ts'
import { cleanMarkup } from '../../src/highlighting/clean-markup.ts'
import { DEFAULT_HIGHLIGHT_LANGUAGES } from '../../src/highlighting/highlight-languages.ts'
import type { HighlightJs, LanguageDefinition } from '../../src/highlighting/highlighter.ts'
import { findHighlighter } from '../../src/node/find-highlighter.ts'
import { SAMPLES } from './samples.ts'

describe('boundRepetitions', () => {
  it.each([
    ['\\w+', '\\w{1,50}'],
    ['[*+]*?', '[*+]{0,50}?'],
    ['.*[^"]+', '.{0,120}[^"]{1,120}'],
    ['(\\\\.|[^"])*', '(\\\\.|[^"]){0,120}'],
    ['(?:a+(?=b))*', '(?:a{1,50}(?=b)){0,6}'],
    ['((a+))+b+', '((a{1,50})){1,6}b{1,50}'],
    ['(a+)(b)+', '(a{1,50})(b){1,120}'],
    ['(a+){1,12}', '(a{1,50}){1,6}'],
    ['a{3,}b{100,}', 'a{3,50}b{100,100}'],
    ['a{2,4}b{2}c?', 'a{2,4}b{2}c?'],
    ['\\p{L}+\\+\\\\*[\\]+]', '\\p{L}{1,50}\\+\\\\{0,50}[\\]+]'],
    ['\\{a,', '\\{a,'],
  ])('%s is %s', (source, bounded) => {
    expect(boundRepetitions(source)).toBe(bounded)
    expect(() => new RegExp(bounded, 'u'.repeat(Number(source.includes('\\p'))))).not.toThrow()
  })
})

describe('boundGrammar', () => {
  it('bounds the patterns and keeps everything else, including circular references', () => {
    const act = () => {}
    const mode = {
      begin: /a+/i,
      end: 'b*',
      match: [/c+/, 'd'],
      scope: 'x+',
      keywords: { $pattern: /e+/, f: 'g+' },
    }
    const grammar = { contains: [mode] as unknown[], 'on:begin': act }
    grammar.contains.push(grammar)
    const copy = boundGrammar(grammar) as typeof grammar
    expect(copy.contains[1]).toBe(copy)
    expect(copy['on:begin']).toBe(act)
    expect(copy.contains[0]).toEqual({
      begin: /a{1,50}/i,
      end: 'b{0,50}',
      match: [/c{1,50}/, 'd'],
      scope: 'x+',
      keywords: { $pattern: /e{1,50}/, f: 'g+' },
    })
    expect(mode.begin).toEqual(/a+/i)
  })

  it.each(DEFAULT_HIGHLIGHT_LANGUAGES)('changes no color of ordinary code: %s', (name) => {
    const require = createRequire(import.meta.url)
    const plain = (require('highlight.js/lib/core') as HighlightJs).newInstance()
    for (const each of DEFAULT_HIGHLIGHT_LANGUAGES) {
      const definition = require(`highlight.js/lib/languages/${each}`) as LanguageDefinition
      plain.registerLanguage(each, definition as never)
    }
    const { value } = plain.highlight(SAMPLES[name], { language: name, ignoreIllegals: true })
    const html = findHighlighter(DEFAULT_HIGHLIGHT_LANGUAGES)?.(SAMPLES[name], name)
    expect(html).toContain('<span')
    expect(html).toBe(cleanMarkup(value, SAMPLES[name]))
  })
})
