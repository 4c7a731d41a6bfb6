import fc from 'fast-check'

// Pieces of Markdown whose meaning depends on their neighbors. The `#` of each `/u#` becomes a
// different number.
const common: readonly string[] = [
  ...[
    '![a](/u#)',
    '[a](/u#)',
    '[a](/u# "t")',
    '[a](</u#>)',
    "[a]( /u# 't' )",
    '[![i](/u#)](/u#)',
    '](/u#)',
    '](! ',
    '](< ',
  ],
  ...[
    '[a](/u#\\_b)',
    '![a](/u#&amp;b)',
    '[a](/u#(b))',
    '[a](\n/u#\n"t")',
    '<https://a.b/u#>',
    '<a@b.c>',
  ],
  ...['<img src="/u#">', "<video src='/u#'>", '<div>', '</div>', '<b>', '<pre>', '</pre>', '< '],
  ...[
    '\n\n[r]: /u#\n\n',
    '\n\n[s]: </u#> "t"\n\n',
    '\n\n> [t]: /u#\n\n',
    '[r].',
    '[s][].',
    '![x][r].',
    '[a][S].',
    '[t]!',
  ],
  ...[
    '`',
    '``',
    '\\',
    '[',
    ']',
    '![',
    '!',
    '(',
    ')',
    '"',
    "'",
    '&amp;',
    '\\]',
    '\\[',
    '\\`',
    'a',
    'b ',
    '*',
    '_',
  ],
  ...[
    '\n',
    '\n',
    '\n\n',
    '\n\n',
    '\r\n',
    '\n- ',
    '\n1. ',
    '\n2. ',
    '\n  ',
    '- ',
    '* ',
    '1. ',
    '2) ',
  ],
]
const rules: readonly string[] = [
  '```',
  '~~~',
  '\n```\n',
  '\n```\n',
  '-',
  '---',
  '\n---\n',
  '\n===\n',
  '***',
  '# ',
]
const indents: readonly string[] = ['\n    ', '\n\t', '    ', ' ']
const quotes: readonly string[] = ['\n> ', '\n> ', '\n>', '> ', '>']
const tables: readonly string[] = [
  '|',
  '|',
  '\n|',
  '|a|',
  '\\|',
  ' | ',
  '\n|a|b|\n|-|-|\n',
  '\na|b\n-|-\n',
  '\n|a|\n|-|\n',
]

export const nastyMarkdown: fc.Arbitrary<string> = fc.oneof(
  join([...common, ...rules, ...indents]),
  join([...common, ...rules, ...quotes]),
  join([...common, ...tables, ...quotes]),
)

function join(pieces: readonly string[]): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 16 }).map((chosen) => {
    let count = 0
    return chosen.join('').replace(/\/u#/g, () => `/u${++count}`)
  })
}
