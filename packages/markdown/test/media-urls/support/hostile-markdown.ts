/** Creates a text of about `length` characters. */
type Family = (length: number) => string

const repeated =
  (piece: string, before = '', after = ''): Family =>
  (length) =>
    before + piece.repeat(Math.ceil(length / piece.length)) + after

const halves =
  (first: string, second: string, between = ''): Family =>
  (length) =>
    first.repeat(length / 2 / first.length) + between + second.repeat(length / 2 / second.length)

/** Texts for which a parser that scans back or ahead too often takes quadratic time. */
export const hostileMarkdown: Readonly<Record<string, Family>> = {
  'opening brackets': repeated('['),
  'opening image brackets': repeated('!['),
  'brackets, then closing ones': halves('[', ']'),
  'brackets and parentheses': repeated('[]('),
  'links that never end': repeated('[a](b'),
  'links nested in links': halves('[', '](b)', 'a'),
  'images nested in images': halves('![', '](b)', 'a'),
  'links after open image brackets': halves('![', '[a](b)'),
  'angle destinations that never end': repeated('[a](<b'),
  'titles that never end': repeated('[a](b "[a](b \'[a](b ('),
  'escaped titles': repeated('\\"', '[a](b "'),
  'parentheses in a destination': halves('(', ')', ''),
  'nested parentheses in a destination': (length) =>
    `[a](${'('.repeat(length / 2)}${')'.repeat(length / 2)})`,
  'white space after a destination': repeated(' ', '[a](b'),
  'unclosed backticks of all lengths': (length) => runs(length, (index) => `${'`'.repeat(index)} `),
  'backticks of falling lengths': (length) =>
    runs(length, (index) => `${'`'.repeat(700 - (index % 700))} `),
  'pairs of one and two backticks': repeated('`a``'),
  'opening angles': repeated('<'),
  'tags that never end': repeated('<img '),
  'attributes that never end': repeated('b ', '<a '),
  'attribute values that never end': repeated('<a b="<a c=\''),
  'values within values': repeated(`<a x="<a y='" x="' y='`),
  'white space in tags': repeated('<a            '),
  'tags that never end in an HTML block': repeated('<img ', '<div>\n'),
  'attributes that never end in an HTML block': repeated('<a b=', '<div>\n'),
  'comments that never end': repeated('a<!--'),
  'comments that never end in an HTML block': repeated('<!-- ', '<div>\n'),
  'instructions that never end': repeated('a<?'),
  'declarations that never end': repeated('a<!X'),
  'sections that never end': repeated('a<![CDATA['),
  'scripts that never end': repeated('<script>'),
  'titles that end otherwise': repeated('<title>a</x>', '<div>\n'),
  'frames within frames': repeated('<iframe src="'),
  'autolinks that never end': repeated('<http:aaa'),
  'mail addresses that never end': repeated('a.', '<a@'),
  'candidates of a set': repeated('a, ', '<img srcset="', '">'),
  'open parentheses in a set': repeated('a (', '<img srcset="', '">'),
  'bare addresses': repeated('http://'),
  'punctuation after an address': repeated(')', 'http://a'),
  'entities after an address': repeated('&a;', 'http://a'),
  'addresses that are none': repeated('(www.a_'),
  'hosts within a host': repeated('_www.'),
  'addresses before brackets': repeated('http://a]'),
  'parentheses in an address': repeated('(', 'http://a/'),
  'marked addresses': repeated('==http://a'),
  'addresses in nested images': halves('![', 'http://a ](b) '),
  definitions: (length) => runs(length, (index) => `[a${index}]: /u\n`),
  'definitions whose title never ends': repeated('[a]: /u\n"x\n'),
  'uses of a definition': repeated('[a]', '[a]: /u\n\n'),
  'nested brackets that a definition may name': (length) =>
    `[a]: /u\n\n${halves('[', ']', 'a')(length)}`,
  'labels that are too long': repeated(`[${'x'.repeat(1200)}`),
  'labels of nearly the greatest length': repeated(`[${'x'.repeat(990)}]`, '[a]: /u\n\n'),
  'nested quotes': repeated('> '),
  'nested quotes and lazy lines': halves('>', 'a\n', 'a\n'),
  'nested quotes and empty lines': halves('>', '\n', 'a\n'),
  'nested list items': repeated('- ', '', 'x'),
  'nested list items of two kinds': repeated('* - ', '', 'x'),
  'nested list items and empty lines': halves('- ', '\n', 'a\n'),
  'list items nested in a quote, and empty lines in it': (length) =>
    `> ${halves('- ', '>\n', 'a\n')(length)}`,
  'nested items and deep indentation': (length) =>
    `${'- '.repeat(length / 4)}a\n${`${' '.repeat(length / 8)}a\n`.repeat(4)}`,
  'ever deeper list items': (length) => runs(length, (index) => `${'  '.repeat(index % 400)}- a\n`),
  'list items that could be breaks': repeated('- - - ', '', 'x'),
  'breaks that are none': repeated('* * * *x '),
  'empty list items': repeated('-\n\n'),
  'numbered items': repeated('1. '),
  'nested footnotes': repeated('[^a]: '),
  'nested footnotes and empty lines': halves('[^a]:', '\n', 'x\n'),
  'nested footnotes and deep indentation': (length) =>
    `${'[^a]: '.repeat(length / 12)}a\n${`${' '.repeat(length / 8)}a\n`.repeat(4)}`,
  'footnotes in lists in quotes': repeated('> - [^a]: '),
  'footnote markers that never end': repeated('[^', '[^a]: x\n\n'),
  'footnote labels that are too long': (length) =>
    `[^a]: x\n\n${repeated(`[^${'a'.repeat(101)}]`)(length)}`,
  'references to footnotes': repeated('[^a]', '[^a]: x\n\n'),
  'references in nested brackets': halves('[', '](b)', '[^a]'),
  underlines: repeated('a\n---\n'),
  fences: repeated('```\n'),
  'fences that are code': repeated('```a`\n'),
  'a fence that never ends': repeated('``\n', '```\n'),
  'rows of a table': repeated('|a|b|\n', '|a|b|\n|-|-|\n'),
  'cells of a table': (length) => `${'|a'.repeat(length / 4)}\n${'|-'.repeat(length / 4)}\n|x|`,
  'delimiter rows without a header': repeated('|-|\n'),
  'delimiter rows of other lengths': repeated('a|b|c\n-|-\n'),
  tabs: repeated('\t'),
  'empty lines': repeated(' \n'),
  'lone carriage returns': repeated('\r'),
  backslashes: repeated('\\'),
  'ampersands in a destination': repeated('&', '[a](', ')'),
  'numbers of entities in a destination': repeated('&#', '[a](', ')'),
  'a name of an entity in a destination': repeated('a', '[a](&', ';)'),
  'beginnings of media ids': repeated('m'),
  'beginnings of percent-encoding': repeated('%6'),
  'beginnings of entities': repeated('&#0'),
  'everything together': repeated('![a]([a]<b>`c`\\> - http://'),
}

function runs(length: number, piece: (index: number) => string): string {
  let text = ''
  for (let index = 1; text.length < length; index++) text += piece(index)
  return text
}
