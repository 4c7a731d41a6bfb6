import { describe, expect, it } from 'vitest'
import { findReferences } from '../../src/media-urls/find-references.ts'

type Example = readonly [title: string, markdown: string, ...references: string[]]

/** Each reference as its kind and its URL. */
function referencesOf(markdown: string): string[] {
  return findReferences(markdown).map(({ kind, url }) => `${kind} ${url}`)
}

function examples(name: string, list: readonly Example[]): void {
  describe(name, () => {
    it.each(list)('%s', (_title, markdown, ...references) => {
      expect(referencesOf(markdown)).toEqual(references)
    })
  })
}

describe('findReferences', () => {
  it('says where the spelling of each URL stands', () => {
    const markdown =
      'An ![a](</a b.png> "t"), [b](/b\\_c?d&amp;e).\n\n> <img alt=1 src="/d&amp;e.png">'
    expect(findReferences(markdown)).toEqual([
      { kind: 'image', url: '/a b.png', raw: '/a b.png', start: 9, end: 17 },
      { kind: 'link', url: '/b_c?d&e', raw: '/b\\_c?d&amp;e', start: 29, end: 42 },
      { kind: 'html', url: '/d&e.png', raw: '/d&amp;e.png', start: 64, end: 76 },
    ])
  })

  it('gives positions in UTF-16 code units', () => {
    const [reference] = findReferences('🎉 ![é](/ü.png)')
    expect(reference).toMatchObject({ start: 8, end: 14 })
  })

  it('finds nothing in an empty text', () => {
    expect(findReferences('')).toEqual([])
  })

  examples('inline links and images', [
    ['with title, escapes and entities', '![a](/a\\(b&#46;png "t (1)")', 'image /a(b.png'],
    ['with a destination on the next line', '[a](\n  /b\n  "t"\n)', 'link /b'],
    ['nested: an image in a link', '[![a](/thumb)](/full)', 'image /thumb', 'link /full'],
    ['nested: no link in a link', '[a [b](/in) c](/out)', 'link /in'],
    ['nested: an image may hold links', '![a [b](/in) c](/out)', 'link /in', 'image /out'],
    ['with balanced parentheses', '[a](/b(c(d))e)', 'link /b(c(d))e'],
    ['not with an unbalanced one', '[a](/b(c)'],
    ['not with a space in the destination', '[a](/b c)'],
    ['not with a title that nothing parts from the destination', '[a](</b>"t")'],
    ['not with an escaped bracket', '\\[a](/b)\n\n[a\\](/c)\n\n!\\[d](/e)'],
    ['an escaped exclamation mark leaves a link', '\\![a](/b)', 'link /b'],
    ['an empty destination refers to nothing', '[a]() ![b](<>) [c]( "t")', 'link "t"'],
    ['an empty text is fine', '[](/a)', 'link /a'],
    ['NUL stands for the replacement character', '[a](/b\0c)', 'link /b\ufffdc'],
    ['no-break space is no white space', '[a](/b\u00a0"t")', 'link /b\u00a0"t"'],
    [
      'entities are decoded once',
      '[a](/b&amp;amp;c&copy;&unknown;&ouml;)',
      'link /b&amp;c©&unknown;ö',
    ],
    ['an escaped entity is none', '[a](/b\\&amp;c)', 'link /b&amp;c'],
    ['invalid code points', '[a](/b&#0;&#xD800;&#1114112;)', 'link /b\ufffd\ufffd\ufffd'],
  ])

  examples('precedence of code, autolinks and raw HTML', [
    ['a code span', '`![a](/a)` ``[b](/b) ` ``'],
    ['an unclosed code span', '`` ![a](/a) `', 'image /a'],
    ['a code span over a bracket', '[a`](/b)`'],
    ['an escaped backtick opens none', '\\`[a](/b)`', 'link /b'],
    ['a backslash does not escape within', '`a\\`[b](/c)`', 'link /c'],
    ['an autolink over a bracket', '[a <https://b.c/](/d)>', 'autolink https://b.c/](/d)'],
    ['a tag over a bracket', '[a <b c="](/d)">'],
    ['a comment', '![a](/a) <!-- ![b](/b) --> ![c](/c)', 'image /a', 'image /c'],
    ['the short comments', '<!--> ![a](/a) <!---> ![b](/b)'],
    [
      'the short comments within a line',
      'x <!--> ![a](/a) <!---> ![b](/b)',
      'image /a',
      'image /b',
    ],
    [
      'an instruction, a declaration, CDATA',
      'x <?[a](/a)?> <!X [b](/b)> <![CDATA[[c](/c)]]> [d](/d)',
      'link /d',
    ],
    ['their beginnings alone', 'x <? <!X <![CDATA[ <!-- [d](/d)', 'link /d'],
    ['autolinks decode nothing', '<https://a.b/?c&amp;d\\_e>', 'autolink https://a.b/?c&amp;d\\_e'],
    ['a mail address is no URL, but hides what is in it', '<a`b@c.de> [a](/b) `', 'link /b'],
  ])

  examples('reference definitions', [
    ['full, collapsed and shortcut', '[a][r] [r][] ![r]\n\n[r]: /u', 'definition /u'],
    ['used before or after', '[r]: </u v> "t"\n\n[r]', 'definition /u v'],
    ['unused', '[r]: /u'],
    ['the first counts', '[r]\n\n[r]: /1\n[R]: /2', 'definition /1'],
    ['labels are folded', '[ẞ] [A\n  b]\n\n[SS]: /1\n[a b]: /2', 'definition /1', 'definition /2'],
    ['labels do not decode', '[a\\!]\n\n[a!]: /u'],
    ['titles may be on the next line', '[r]\n\n[r]: /u\n"t"', 'definition /u'],
    ['what is no title is text', '[r]: /u\n"t" [r] [b](/b)', 'definition /u', 'link /b'],
    ['junk after the title', '[r]: /u "t" x\n\n[r]'],
    ['junk after the destination', '[r]: /u x [b](/b)', 'link /b'],
    ['not within a paragraph', 'x\n[r]: /u\n\n[r]'],
    ['in a quote, for all of the text', '[r]\n\n> [r]: /u', 'definition /u'],
    ['over the lines of a quote', '> [r]:\n> /u\n> "t"\n\n[r]', 'definition /u'],
    ['several, then text', '[r]: /1\n[s]: /2\n[r] [s]', 'definition /1', 'definition /2'],
    ['an underline after definitions is text', '[r]: /u\n===\n[r]', 'definition /u'],
    ['a full reference without definition is no shortcut', '[r][x]\n\n[r]: /u'],
    ['an inline link comes first', '[r](/i)\n\n[r]: /u', 'link /i'],
    ['a blank label', '[ ]\n\n[ ]: /u'],
    [
      'a label of 999 characters',
      `[${'a'.repeat(999)}]\n\n[${'a'.repeat(999)}]: /u`,
      'definition /u',
    ],
    ['a label of 1000 characters', `[${'a'.repeat(1000)}]\n\n[${'a'.repeat(1000)}]: /u`],
    ['an empty destination', '[r]\n\n[r]: <>'],
  ])

  examples('leaf blocks', [
    ['fenced code', '```\n![a](/a)\n```\n![b](/b)', 'image /b'],
    ['fenced code that never ends', '~~~ x\n![a](/a)\n```\n![b](/b)'],
    [
      'a fence ends with at least as many marks',
      '````\n```\n![a](/a)\n`````\n![b](/b)',
      'image /b',
    ],
    ['a backtick in the info string: no fence', '``` a`\n![a](/a)', 'image /a'],
    ['indented code', '    ![a](/a)\n\n\t![b](/b)\n\n ![c](/c)', 'image /c'],
    ['no indented code within a paragraph', 'x\n    ![a](/a)', 'image /a'],
    ['headings', '# [a](/a) #\n[b](/b)\n===\n[c](/c)\n---', 'link /a', 'link /b', 'link /c'],
    ['a link does not go beyond its block', '[a\n# b](/c)\n\n![d\n\n](/e)'],
    ['a thematic break parts paragraphs', '[a\n***\n](/b)'],
    ['lone carriage returns', '```\r![a](/a)\r```\r![b](/b)\r\n![c](/c)', 'image /b', 'image /c'],
  ])

  examples('containers', [
    [
      'quotes, lists and both',
      '> ![a](/a)\n\n- ![b](/b)\n\n1. > - ![c](/c)',
      'image /a',
      'image /b',
      'image /c',
    ],
    ['a link over the lines of a quote', '> [a\n> b](/c)', 'link /c'],
    ['a lazy line', '> [a\nb](/c)', 'link /c'],
    ['fenced code in a quote ends with it', '> ```\n> ![a](/a)\n![b](/b)', 'image /b'],
    ['fenced code in a list', '- ```\n  ![a](/a)\n  ```\n  ![b](/b)', 'image /b'],
    ['fenced code in a list ends with it', '- ```\n  ![a](/a)\n![b](/b)', 'image /b'],
    ['indented code in a list', '- x\n\n      ![a](/a)\n\n  ![b](/b)', 'image /b'],
    ['a list item that begins with indented code', '-     ![a](/a)'],
    ['a tab as indentation of an item', '-\tx\n\n\t![a](/a)\n\n\t\t![b](/b)', 'image /a'],
    ['the content of a wide item', '10. x\n\n    ![a](/a)', 'image /a'],
    [
      'a blank line goes on with items, not with quotes',
      '- > x\n\n  ![a](/a)\n\n      ![b](/b)',
      'image /a',
    ],
    ['an item without content ends with a blank line', '-\n\n      ![a](/a)'],
    ['only the number 1 interrupts a paragraph', '[a\n2. b](/c)', 'link /c'],
    ['the number 1 does', '[a\n1. b](/c)'],
    ['an empty item does not', '[a\n*\nb](/c)', 'link /c'],
    ['four spaces end a lazy quote marker', '> x\n    > [a](/b)', 'link /b'],
  ])

  examples('tables', [
    ['cells are apart', '| a | [b |\n| - | - |\n| c](/d) | ![e](/f) |', 'image /f'],
    ['a pipe ends a code span', '| a | b |\n|---|---|\n| `x | ![a](/b) ` |', 'image /b'],
    ['an escaped pipe ends no cell', '|a|\n|-|\n| [b \\| c](/d\\|e) |', 'link /d|e'],
    [
      'cells over the number of columns are not shown',
      '|a|\n|-|\n| ![b](/c) | ![d](/e) |',
      'image /c',
    ],
    ['text before the header row', '[r\n|a|\n|-|\n](/b)'],
    ['no table when the columns differ', '|[a|b|\n|-|\n](/c)', 'link /c'],
    ['a blank line ends it', '|a|\n|-|\n\n`|` ![a](/b)', 'image /b'],
    ['a quote ends it', '|a|\n|-|\n> `|` ![a](/b)', 'image /b'],
    ['in a quote', '> a | b\n> - | -\n> ![a](/b) | `![c](/d)`', 'image /b'],
  ])

  examples('footnotes', [
    ['a definition is no link definition', 'a[^1]\n\n[^1]: /u'],
    ['its content', '[^1]: ![a](/a)\n[^2]: <img src="/b">', 'image /a', 'html /b'],
    [
      'its content on further lines',
      '[^1]: x\n\n    ![a](/a)\n\n    - ![b](/b)',
      'image /a',
      'image /b',
    ],
    ['with nothing on the first line', '[^1]:\n\n    ![a](/a)', 'image /a'],
    ['a link over its lines', '[^1]: [a\n    b](/c)', 'link /c'],
    ['a lazy line', '[^1]: [a\nb](/c)', 'link /c'],
    ['blocks on its first line', '[^1]: > [^2]: - ![a](/a)', 'image /a'],
    ['white space after the marker is no code', '[^1]:       ![a](/a)', 'image /a'],
    ['indented code in it', '[^1]: x\n\n        ![a](/a)'],
    ['fenced code in it', '[^1]:\n    ```\n    ![a](/a)\n    ```\n    ![b](/b)', 'image /b'],
    ['fenced code in it ends with it', '[^1]: ```\n    ![a](/a)\n![b](/b)', 'image /b'],
    [
      'a list item in it ends with it',
      '[^1]: - x\n\n      ![a](/a)\n\n      ![b](/b)',
      'image /a',
      'image /b',
    ],
    ['a link definition in it, for all of the text', '[r]\n\n[^1]: [r]: /u', 'definition /u'],
    ['it interrupts a paragraph', '[a\n[^1]: b](/c)'],
    [
      'it interrupts link definitions',
      '[r]\n\n[r]: /u\n[^1]: ![a](/a)',
      'definition /u',
      'image /a',
    ],
    ['it ends a quote', '> [a\n[^1]: b](/c)'],
    ['four spaces before it are code', '    [^1]: ![a](/a)'],
    ['not within a line', '[r]\n\nx [^1]: [r]: /u'],
    ['not with white space in the label', '[^a b]\n\n[^a b]: /u', 'definition /u'],
    [
      'not with a label of 101 characters',
      `[^${'a'.repeat(101)}]\n\n[^${'a'.repeat(101)}]: /u`,
      'definition /u',
    ],
    ['a reference is no link', '[^1](/u) [^2](/v)\n\n[^1]: x', 'link /v'],
    ['a reference in a link', '[a [^ß]](/u)\n\n[^SS]: x', 'link /u'],
    ['the text of an image is no reference', '![^1](/u)\n\n[^1]: x', 'image /u'],
  ])

  examples('bare addresses', [
    [
      'of the web',
      'See https://a.b/c?d=e&f#g, or www.h.i/j.',
      'bare https://a.b/c?d=e&f#g',
      'bare http://www.h.i/j',
    ],
    [
      'without what ends the sentence',
      '(http://a.b/c_(d)) "http://e.f/g"!',
      'bare http://a.b/c_(d)',
      'bare http://e.f/g',
    ],
    ['without an entity after it', 'http://a.b/c&gt;', 'bare http://a.b/c'],
    [
      'not in code or autolinks, comments and attributes',
      '`http://a.b` <http://c.d> <b c="http://e.f">',
      'autolink http://c.d',
    ],
    ['not as the text of a link', '[http://a.b](/c) ![www.d.e](/f)', 'link /c', 'image /f'],
    ['not within words, nor without host', 'xhttp://a.b awww.c.d http:// https://. www.'],
    ['as they are spelled', 'http://a.b/c&amp;d\\_e%20f', 'bare http://a.b/c&amp;d\\_e%20f'],
    [
      'before code, escapes and links',
      'http://a.b/c`d` http://a.b/\\[e](/f) http://a.b`[g](/h)`',
      'bare http://a.b/c`d`',
      'bare http://a.b/\\[e](/f)',
      'bare http://a.b`[g](/h)`',
    ],
    ['in a link, before its end', '[http://a.b/[c](/d)](/e)', 'link /e'],
    ['in brackets that are no link', '[http://a.b]', 'bare http://a.b'],
  ])
})
