/** Creates a text of about the given length that consists of expensive syntax. */
export type Family = (length: number) => string

export function fill(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
}

const nest =
  (open: string, close: string, inside = ''): Family =>
  (length) => {
    const count = Math.floor((length - inside.length) / (open.length + close.length))
    return open.repeat(count) + inside + close.repeat(count)
  }

// Joins pieces of growing length, so that a text of n characters has only about √(2n) pieces.
const grow =
  (line: (index: number) => string): Family =>
  (length) => {
    let text = ''
    for (let index = 0; text.length < length; index++) text += line(index)
    return text.slice(0, length)
  }

const units: readonly string[] = [
  // Brackets, links, definitions, footnotes
  ...[
    '[',
    '![',
    '](',
    '[a](',
    '[[]',
    '[a]',
    'a]',
    '[a',
    '[ (](',
    '![[]()',
    '[ a_',
    '[a](<b',
    '[a](b',
    '[x](<',
    '[a](b "',
  ],
  ...['[a]: b\n', '[a]: <b\n', '[^', '[^1]: ', '[^1][^2]', '[^1]: a\n\n'],
  // Emphasis, similar marks and code
  ...[
    '*a',
    '**a ',
    'a_ ',
    '_a ',
    '*a_ ',
    '*a _b **c __d ',
    'a**bc* ',
    '**x [a*b**c*](d)',
    '~',
    '~a',
    '~~a',
    '^a',
    '^',
  ],
  ...['==a ', '=', '`', '`a``b', '``` a', '\\`', '```\n', '~~~\n', ':', 'a: b '],
  // Raw HTML
  ...[
    '<',
    '<a ',
    '<a href="',
    `<a b="<a b='`,
    '<b>',
    '<b></i>',
    '</b>',
    '<div>\n',
    '<div>\n\n',
    '<table><tr><td>',
  ],
  ...[
    '<script>',
    '<iframe>',
    '<svg><title>',
    '<!--',
    '<!x',
    '<![CDATA[',
    '<?',
    '<details>\n\n',
    '<a href=x>',
    '<p>',
  ],
  ...[
    '<input type=checkbox disabled>',
    '<video src=x>',
    '<img src=x ',
    '<a\n',
    '<b a=1 a=1>',
    '<b title="&amp;">',
  ],
  // Characters
  ...[
    '&',
    '&#',
    '&amp;',
    '\\',
    '\\\\',
    '\\<',
    '\0',
    '\ud800',
    '\u{1f468}\u200d',
    '"',
    'é',
    '\t',
    ' \n',
    '\n',
    'a  \n',
  ],
  // Blocks
  ...[
    '> ',
    '>\n',
    '> a\n',
    '>\t',
    '- ',
    '- a\n',
    '- a\n\n',
    '> - ',
    '1. ',
    '1. a\n',
    '# a\n',
    'a\n=\n',
    '* * * a\n',
    '+\n-\n',
  ],
  ...[
    '+ -\n- +\n',
    '|a|a\n|-|-\n',
    'a|',
    'a|b\n-|-\n',
    '- [ ] a\n',
    '> [!NOTE]\n',
    '> [!NOTE]\n> > ',
    '    a\n\n',
  ],
  // Addresses
  ...[
    'www.',
    'www.a.b ',
    'http://a.b/(',
    'http://a.b/)',
    'http://',
    'a@',
    'a@b.c ',
    'a.',
    'mailto:',
    '<http://a>',
  ],
  ...[
    '://',
    '((((',
    '&a;',
    '_www.',
    '(www.a_',
    'http://a]',
    '[http://a',
    '==http://a',
    'http://a&b;',
    'mailto:a@b.cd',
  ],
  ...['^`', '^[', '~a^b', '^[a](b)', '^a\\ '],
]

/** A table with 65,025 missing cells, which markdown-it adds. */
export const emptyCells = `${'|a'.repeat(256)}|\n${'|:-:'.repeat(256)}|\n${'x\n'.repeat(255)}\n`
const player = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ\n\n'

/** The texts of {@link families} that do not just repeat one piece. */
export const shaped: Readonly<Record<string, Family>> = {
  'nested brackets': nest('[', ']'),
  'nested brackets around text': nest('[', ']', 'a'),
  'nested links': nest('[', '](x)'),
  'nested images': nest('![', '](x)'),
  'nested elements': nest('<b>', '</b>'),
  'nested details': nest('<details>\n\n', '</details>\n\n'),
  'nested marks': nest('==a ', ' a=='),
  'nested strong emphasis': nest('*a **a ', ' a** a*', 'b'),
  'nested quotes': nest('> ', '', 'a'),
  'quotes that end at a line without a marker': (length) => fill('> # a\nb\n', length),
  'empty quotes and lines without a marker': (length) => fill('> \na\n', length),
  'nested quotes that end at a line without a marker': (length) => fill('> > > \na\n', length),
  'quotes with code and lines without a marker': (length) => fill('> ```\n> a\nb\n', length),
  'quoted lists and lines without a marker': (length) => fill('> - # a\nb\n', length),
  'quotes in a list and lines without a marker': (length) => fill('- > # a\nb\n', length),
  'emphasis in deep quotes': (length) => fill('>', length / 2) + fill('a*', length / 2),
  'nested lists': grow((index) => `${'  '.repeat(index)}* a\n`),
  'empty lines in a nested list': (length) => `${fill('- ', length / 2)}x${fill('\n', length / 2)}`,
  'empty lines in a quoted list': (length) =>
    `> ${fill('- ', length / 2)}x${fill('\n> ', length / 2)}`,
  'runs of backticks': grow((index) => `e${'`'.repeat(index)}`),
  'fences that grow': grow((index) => `${'`'.repeat(index + 3)}\n`),
  'closing brackets after open ones': (length) => fill('[', length / 2) + fill('](b)', length / 2),
  'open elements, then other end tags': (length) =>
    fill('<b>', length / 2) + fill('</i>', length / 2),
  'open elements of many names': grow((index) => `<x${index}>`),
  'one attribute list': (length) => `<div ${fill('a ', length)}>`,
  'many attributes': (length) =>
    `<b ${Array.from({ length: length / 9 }, (_, index) => `a${index}=1`).join(' ')}>`,
  'white space in a tag': (length) => `<div><a${fill(' ', length)}`,
  'inline comments': (length) => `x ${fill('<!--', length)}`,
  'inline scripts with one end': (length) => `x ${fill('<script>', length)}</script>`,
  'one word': (length) => fill('a', length),
  'one code block': (length) => `\`\`\`js\n${fill('const a = "b" // c\n', length)}\`\`\`\n`,
  'one line of code': (length) => `\`\`\`js\n${fill('a.b(`${', length)}\n\`\`\`\n`,
  'one indented block': (length) => fill('    <b>\n', length),
  'a long superscript': (length) => `^${fill('a', length)}`,
  'a long address': (length) => `http://a.b/${fill('a(', length)}`,
  'addresses in the text of a link': (length) => `[${fill('http://a ', length - 4)}](b)`,
  'a long host': (length) => `http://${fill('a.', length)}`,
  'a long title': (length) => `[a](b "${fill('\\"', length)}")`,
  'players on lines of their own': (length) => fill(player, length),
  'frames of one length': (length) => fill('<iframe src=//codepen.io/a/embed/b>', length),
  'headings of one name': (length) => fill('# a\n', length),
  'numbered headings of one name': (length) =>
    fill('# a-1\n', length / 2) + fill('# a\n', length / 2),
  'headings of many names': grow((index) => `# ${index}\n`),
  'references to one footnote': (length) => `[^a]: x\n\n${fill('[^a]', length - 20)}`,
  'footnotes that refer to each other': grow(
    (index) => `[^${index}]: a [^${index + 1}]\n\n[^${index}]\n\n`,
  ),
  'links to one long definition': (length) => definition(length / 2) + fill('[a] ', length / 2 - 8),
  'links to one long title': (length) =>
    `[a]: /x "${'&'.repeat(length / 2)}"\n\n${fill('[a]', length / 2 - 20)}`,
  'links to one URL that is encoded': (length) =>
    `[a]: /${'中'.repeat(length / 2)}\n\n${fill('[a] ', length / 2 - 8)}`,
  'images of one long definition': (length) =>
    definition(length / 2) + fill('![a] ', length / 2 - 8),
  'links in brackets to one long definition': (length) =>
    definition(length / 2) + fill('[[[a]]] ', length / 2 - 8),
  'links to many definitions': (length) => {
    const definitions = Array.from(
      { length: 100 },
      (_, index) => `[${index}]: /${'x'.repeat(length / 250)}\n`,
    )
    return (
      definitions.join('') +
      fill(`\n${definitions.map((_, index) => `[${index}]`).join('')}`, length / 2)
    )
  },
  'definitions of many labels': grow((index) => `[${index}]: /a\n`),
  'a wide table': (length) => `${fill('a|', length / 2)}\n${fill('-|', length / 2)}\n`,
  'a table of one column that is filled': (length) => `a|b\n-|-\n${fill('x\n', length - 20)}`,
  'a table of empty cells': (length) =>
    `${fill('a|', length / 50)}\n${fill('-|', length / 50)}\n${fill('a\n', (length * 48) / 50)}`,
  'tables of empty cells': (length) => fill(emptyCells, length),
  'quoted tables of empty cells': (length) => fill(emptyCells.replace(/^/gm, '> '), length),
}

export function definition(length: number): string {
  return `[a]: /${'x'.repeat(length)}\n\n`
}

/**
 * Texts for which some Markdown or HTML parsers are slow or return much HTML, by a description. The
 * texts are the pathological tests of cmark, texts that we found, and repetitions of constructs.
 *
 * @see https://github.com/commonmark/cmark/blob/0.31.1/test/pathological_tests.py
 */
export const families: ReadonlyMap<string, Family> = new Map([
  ...units.map((unit): [string, Family] => [JSON.stringify(unit), (length) => fill(unit, length)]),
  ...Object.entries(shaped),
])
