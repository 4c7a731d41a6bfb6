import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { IncrementalRenderer } from '../../src/rendering/incremental-renderer.ts'
import { MarkdownRenderer } from '../../src/rendering/markdown-renderer.ts'

const options = { markdownIt: MarkdownIt, highlight: null }
const whole = new MarkdownRenderer(options)

// Lines whose reading depends on others, near and far.
const lines: readonly string[] = [
  ...[
    '',
    '',
    '',
    'text',
    'text *more*',
    '    code',
    '  two',
    '\ttab',
    '# A',
    '# A',
    '## A-1',
    'A',
    '===',
    '---',
    '***',
  ],
  ...[
    '- a',
    '- b',
    '  - c',
    '1. a',
    '2) b',
    '   more',
    '- [ ] task',
    '> quote',
    '> - both',
    '>',
    '> [!NOTE]',
    '> [!TIP]',
  ],
  ...[
    '```',
    '```js',
    '~~~',
    'const a = 1',
    '| a | b |',
    '|---|---|',
    '| c |',
    'a | b',
    '-|-',
    '[a]: /one',
    '[a]: /two',
  ],
  ...[
    '[b]: /three',
    '"title"',
    '[a]',
    '[a][b]',
    '![a]',
    '[^1]',
    '[^1]: note',
    '[^2]: more [^1] [^3]',
    '[^2] [^2]',
    '[^3]: x',
  ],
  ...[
    '    indented',
    '<div>',
    '</div>',
    '<details>',
    '<summary>s</summary>',
    '</details>',
    '<b>bold',
    '</b>',
    '<!--',
    '-->',
  ],
  ...[
    '<script>',
    '</script>',
    '<table><tr><td>',
    '</td></tr></table>',
    '<p>',
    '</p>',
    '![</div>][a]',
    '<pre>',
    '</pre>',
  ],
  ...[
    'www.a.example',
    'https://youtu.be/dQw4w9WgXcQ',
    '\\',
    'a\\',
    '`a',
    'b`',
    '==m==',
    'x^2^',
    '&amp;',
    '<',
    '\u0000',
    '\r',
  ],
]
const text = fc.array(fc.constantFrom(...lines), { maxLength: 25 }).map((some) => some.join('\n'))
const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  remove: fc.oneof(fc.nat(3), fc.nat(40)),
  insert: fc.oneof(
    fc.constantFrom(
      '',
      'x',
      '\n',
      '\n\n',
      ' ',
      '\t',
      '`',
      '*',
      '-',
      '>',
      '<',
      '|',
      '[',
      ']',
      ':',
      '^',
      '\r\n',
      '🙂',
      '\ud83d',
    ),
    fc.constantFrom(...lines).map((line) => `\n${line}\n`),
    text,
  ),
})

function apply(before: string, { at, remove, insert }: { at: number; remove: number; insert: string }): string {
  const start = Math.floor(at * before.length)
  return before.slice(0, start) + insert + before.slice(start + remove)
}

describe('an incremental renderer', () => {
  it('gives the bytes of a full render after every edit, and patches that lead there', () => {
    fc.assert(
      fc.property(text, fc.array(edit, { minLength: 1, maxLength: 12 }), (start, edits) => {
        const incremental = new IncrementalRenderer(options)
        const shown: { html: string; line: number }[] = []
        let current = start
        for (const change of [null, ...edits]) {
          if (change !== null) current = apply(current, change)
          const patch = incremental.update(current)
          for (const block of shown.slice(patch.start + patch.removed)) block.line += patch.lineShift
          shown.splice(patch.start, patch.removed, ...patch.blocks.map((block) => ({ ...block })))
          expect(incremental.html).toBe(whole.render(current))
          expect(
            shown
              .map(({ html }) => html)
              .join('')
              .trim(),
          ).toBe(incremental.html)
        }
        const fresh = new IncrementalRenderer(options).update(current)
        expect(shown).toEqual(fresh.blocks)
      }),
      { numRuns: 300 },
    )
  })
})
