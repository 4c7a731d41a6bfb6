import fc from 'fast-check'

// Pieces of Markdown whose meaning depends on their neighbors, including syntax beyond CommonMark.
// Each `#` becomes a different media URL.
const media: readonly string[] = [
  ...['![a](#)', '[a](#)', '[a](<#>)', '[![i](#)](#)', '](#)', '\n\n[r]: #\n\n', '[r]', '![x][r]'],
  ...[
    '[a [^x] b](#)',
    '![^x](#)',
    '[^x](#)',
    '<img src="#">',
    "<video src='#' poster=#></video>",
    '<a href="#">',
  ],
]
const blocks: readonly string[] = [
  ...[
    '\n[^x]: ',
    '\n[^y]: ',
    '\n[^x]: a|b\n-|-\n',
    '\n> [!NOTE]\n> ',
    '\n- [ ] ',
    '\n- [x] ',
    '\n|a|b|\n|-|-|\n',
    '\n|',
  ],
  ...[
    '\n<details>\n',
    '\n</details>\n',
    '\n<div>\n',
    '\n```\n',
    '\n~~~\n',
    '\n- ',
    '\n1. ',
    '\n> ',
  ],
  ...['\n', '\n\n', '\n    ', '\n\n    ', '\n        ', '  \n'],
]
const inlines: readonly string[] = [
  ...[
    '[^x]',
    '[^y]',
    '[^',
    ']: ',
    '[',
    ']',
    '!',
    '\\',
    '|',
    '\\|',
    '`',
    '``',
    '==',
    '~~',
    '^',
    '~',
    '*',
    '_',
    ':',
    'a',
    ' ',
  ],
  ...[
    'https://youtu.be/dQw4w9WgXcQ ',
    'https://a.b/c\\',
    'https://a.b/c`',
    'www.a.b/',
    '<!--',
    '-->',
    '<b>',
    '<summary>',
    '<',
  ],
]

export const extendedMarkdown: fc.Arbitrary<string> = fc
  .array(fc.oneof(...[media, blocks, inlines].map((pieces) => fc.constantFrom(...pieces))), {
    minLength: 1,
    maxLength: 16,
  })
  .map((chosen) => {
    let count = 0
    return chosen
      .join('')
      .replace(/#/g, () => `/media/md-editor/tmp/m${String(++count).padStart(26, '0')}-a.png`)
  })
