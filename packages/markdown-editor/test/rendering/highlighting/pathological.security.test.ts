import { describe, expect, it } from 'vitest'
import { DEFAULT_HIGHLIGHT_LANGUAGES } from '../../../src/contract/highlight-languages.ts'
import { maxHighlightedBlock } from '../../../src/rendering/highlighting/highlighter.ts'
import { findHighlighter } from '../../../src/rendering/node/find-highlighter.ts'

const highlight = findHighlighter(DEFAULT_HIGHLIGHT_LANGUAGES)!
const fill = (unit: string) => unit.repeat(Math.ceil(maxHighlightedBlock / unit.length)).slice(0, maxHighlightedBlock)
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
  ...['#define a \\\n', 'begin ', 'class a<', 'def a(', 'SELECT ', '+\n', '@a(', '?.', '&#', '<?php ', '%w('],
]

// Before the grammars were bounded, some of these took 10 seconds; now about 30 ms. The deadline only tells these apart.
describe('the longest block of hostile code', () => {
  it.each(DEFAULT_HIGHLIGHT_LANGUAGES)(
    'takes a bounded time and gives bounded HTML: %s',
    (language) => {
      const codes = [...units.map(fill), ...['a', 'A', '$', 'ab('].map((unit) => lines(unit, 49))]
      for (const code of codes) {
        const before = process.threadCpuUsage()
        const html = highlight(code, language)
        const { user, system } = process.threadCpuUsage(before)
        expect((html ?? '').length).toBeLessThan(50 * code.length)
        expect((user + system) / 1e6, JSON.stringify(code.slice(0, 20))).toBeLessThan(1)
      }
    },
    60_000,
  )
})
