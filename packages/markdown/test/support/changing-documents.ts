import fc from 'fast-check'

// Lines whose meaning depends on other lines, near and far.
const plain = ['', '', '', 'text', 'text *more*', '    code', '  two', '\ttab']
const headings = ['# A', '# A', '## A-1', 'A', '===', '---', '***']
const lists = ['- a', '- b', '  - c', '1. a', '2) b', '   more', '- [ ] task']
const quotes = ['> quote', '> - both', '>', '> [!NOTE]', '> [!TIP]']
const code = ['```', '```js', '~~~', 'const a = 1']
const tables = ['| a | b |', '|---|---|', '| c |', 'a | b', '-|-']
const definitions = [
  '[a]: /one',
  '[a]: /two',
  '[b]: /three',
  '"title"',
  '"begun',
  'ended"',
  '[a]',
  '[a][b]',
  '![a]',
]
const footnotes = [
  '[^1]',
  '[^1]: note',
  '[^2]: more [^1] [^3]',
  '[^2] [^2]',
  '[^3]: x',
  '    indented',
]
const html = [
  '<div>',
  '</div>',
  '<details>',
  '<summary>s</summary>',
  '</details>',
  '<b>bold',
  '</b>',
  '<!--',
  '-->',
]
const brokenHtml = [
  '<script>',
  '</script>',
  '<table><tr><td>',
  '</td></tr></table>',
  '<p>',
  '</p>',
  '<pre>',
  '</pre>',
]
const inlines = [
  'www.a.example',
  'https://youtu.be/dQw4w9WgXcQ',
  '`a',
  'b`',
  '==m==',
  'x^2^',
  '![</div>][a]',
]
const characters = ['\\', 'a\\', '&amp;', '<', '\u0000', '\r']

const line: fc.Arbitrary<string> = fc.constantFrom(
  ...[...plain, ...headings, ...lists, ...quotes, ...code, ...tables, ...definitions, ...footnotes],
  ...[...html, ...brokenHtml, ...inlines, ...characters],
)

export const documents: fc.Arbitrary<string> = fc
  .array(line, { maxLength: 25 })
  .map((lines) => lines.join('\n'))

export interface Edit {
  /** The position as a fraction of the text, from 0 to 1. */
  readonly at: number
  readonly remove: number
  readonly insert: string
}

const keys = [...' \t`*-><|[]:^x', '', '\n', '\n\n', '\r\n', '🙂', '\ud83d']

export const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    remove: fc.oneof(fc.nat(3), fc.nat(40)),
    insert: fc.oneof(
      fc.constantFrom(...keys),
      line.map((some) => `\n${some}\n`),
      documents,
    ),
  }),
  { minLength: 1, maxLength: 12 },
)

export function applyEdit(text: string, { at, remove, insert }: Edit): string {
  const start = Math.floor(at * text.length)
  return text.slice(0, start) + insert + text.slice(start + remove)
}
