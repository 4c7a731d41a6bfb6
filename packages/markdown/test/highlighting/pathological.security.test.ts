import { describe, expect, it } from 'vitest'
import { escapeHtml } from '../../src/grammar/escape-html.ts'
import { DEFAULT_HIGHLIGHT_LANGUAGES } from '../../src/highlighting/highlight-languages.ts'
import { maxHighlightedBlock } from '../../src/highlighting/highlighter.ts'
import { findHighlighter } from '../../src/node/find-highlighter.ts'

const highlight = findHighlighter(DEFAULT_HIGHLIGHT_LANGUAGES)!
const fill = (unit: string) =>
  unit.repeat(Math.ceil(maxHighlightedBlock / unit.length)).slice(0, maxHighlightedBlock)
const lines = (unit: string, width: number) => fill(`${unit.repeat(width).slice(0, width)}\n`)

const punctuation = [...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~']
const units: readonly string[] = [
  ...punctuation,
  ...punctuation.map((sign) => `a${sign}`),
  ...[
    'a',
    'A',
    '0',
    '1e',
    'é',
    ' ',
    '\n',
    '\t',
    ' \n',
    'a ',
    'a\n',
    'aA_0',
    'a.a',
    'a b',
    'A<A<',
    'public a<b> ',
    '[a](',
  ],
  ...[
    '/*',
    '//',
    '<!--',
    '<a ',
    '<a b="',
    '<a>',
    '<style>',
    '<script>',
    '<style>{</style>',
    'html`<script>',
    '`${',
    '#{',
  ],
  ...[
    '"""',
    'r#"',
    '<<A\n',
    '$((',
    '((a',
    '(a)=>',
    'a(',
    'a::',
    '{a: ',
    '- ',
    '- - ',
    '> ',
    '***a',
    '```\n',
    '"\\',
    "'\\",
  ],
  ...[
    '#define a \\\n',
    'begin ',
    'class a<',
    'def a(',
    'SELECT ',
    '+\n',
    '@a(',
    '?.',
    '&#',
    '<?php ',
    '%w(',
  ],
]

const withoutSpans = (html: string) => html.replace(/<span class="[^"<>]*">|<\/span>/g, '')

// With unbounded grammars, some of these codes took 10 s. With bounded grammars, they take about
// 30 ms. The test timeout is far from both, so the test also passes on a slow machine.
describe('the longest block of hostile code', () => {
  it.each(DEFAULT_HIGHLIGHT_LANGUAGES)(
    'keeps each character and returns bounded HTML: %s',
    (language) => {
      const codes = [...units.map(fill), ...['a', 'A', '$', 'ab('].map((unit) => lines(unit, 49))]
      const highlighted = codes.flatMap((code) => {
        const html = highlight(code, language)
        return html === null ? [] : [{ code, html }]
      })
      expect(highlighted.length).toBeGreaterThan(codes.length * 0.8) // Some are nested too deeply.
      for (const { code, html } of highlighted) {
        const start = JSON.stringify(code.slice(0, 20))
        expect(html.length, start).toBeLessThan(50 * code.length)
        expect(withoutSpans(html) === escapeHtml(code), start).toBe(true)
      }
    },
    60_000,
  )
})
