import { describe, expect, it } from 'vitest'
import { TEXT_COMMANDS } from '../../src/client/commands/commands.ts'
import { formatCarets, parseCarets, run, runOn } from './support/caret.ts'

describe('inline commands', () => {
  it('mark the selection and keep it selected', () => {
    expect(runOn('one |two| three', 'bold')).toBe('one **|two|** three')
    expect(runOn('one |two| three', 'italic')).toBe('one _|two|_ three')
    expect(runOn('one |two| three', 'strikethrough')).toBe('one ~~|two|~~ three')
    expect(runOn('one |two| three', 'highlight')).toBe('one ==|two|== three')
    expect(runOn('one |two| three', 'superscript')).toBe('one ^|two|^ three')
    expect(runOn('one |two| three', 'subscript')).toBe('one ~|two|~ three')
    expect(runOn('one |two| three', 'code')).toBe('one `|two|` three')
  })

  it('work on the word at the caret', () => {
    expect(runOn('one tw|o three', 'bold')).toBe('one **tw|o** three')
    expect(runOn('naï|ve', 'bold')).toBe('**naï|ve**')
    expect(runOn('日本|語', 'bold')).toBe('**日本|語**')
    expect(runOn('snake_ca|se', 'bold')).toBe('**snake_ca|se**')
  })

  it('write an empty mark where there is no word, and take it away again', () => {
    expect(runOn('one | two', 'bold')).toBe('one **|** two')
    expect(runOn('one **|** two', 'bold')).toBe('one | two')
    expect(runOn('|', 'code')).toBe('`|`')
    expect(runOn('`|`', 'code')).toBe('|')
  })

  it('leave the white space at the ends of the selection outside, and give the selection back', () => {
    expect(runOn('one| two |three', 'bold')).toBe('one| **two** |three')
    expect(runOn('one| two |three', 'bold', 'bold')).toBe('one| two |three')
    expect(runOn('one |two |three', 'code', 'code')).toBe('one |two |three')
  })

  it('take an empty mark away where only white space is selected', () => {
    expect(runOn('a|  |b', 'bold')).toBe('a|****  |b')
    expect(runOn('a|  |b', 'bold', 'bold')).toBe('a|  |b')
  })

  it('know the mark around a whole phrase from anywhere in it', () => {
    expect(runOn('**one tw|o three**', 'bold')).toBe('one tw|o three')
    expect(runOn('a _b |c| d_', 'italic')).toBe('a b |c| d')
    expect(runOn('a ==b | d==', 'highlight')).toBe('a b | d')
    expect(runOn('a `b c|d e` f `g`', 'code')).toBe('a b c|d e f `g`')
    expect(runOn('snake_case an|d other_name', 'italic')).toBe('snake_case _an|d_ other_name')
    expect(runOn('a `*b` c|d `e*`', 'italic')).toBe('a `*b` _c|d_ `e*`')
  })

  it('take the mark away of which one end is selected', () => {
    expect(runOn('a |**b|** c', 'bold')).toBe('a |b| c')
    expect(runOn('a **|b**| c', 'bold')).toBe('a |b| c')
  })

  it('join what is marked in a part of the selection', () => {
    expect(runOn('**on|e** two|', 'bold')).toBe('**|one two|**')
    expect(runOn('|one **tw|o**', 'bold')).toBe('**|one two|**')
    expect(runOn('|a **b** c|', 'bold')).toBe('**|a b c|**')
    expect(runOn('|a *b* c|', 'bold')).toBe('**|a *b* c|**')
  })

  it('keep clear of what takes the meaning from a mark', () => {
    expect(runOn('これは|「強調」|です', 'bold')).toBe('これは|「**強調**」|です')
    expect(runOn('これは|「強調」|です', 'bold', 'bold')).toBe('これは|「強調」|です')
    expect(runOn('say|"it"|so', 'highlight')).toBe('say|"==it=="|so')
    expect(runOn('\\\\|word', 'bold')).toBe('\\\\**|word**')
    expect(runOn('\\wo|rd', 'bold')).toBe('**\\wo|rd**')
    expect(runOn('\\|word|', 'bold')).toBe('**|\\word|**')
    expect(runOn('|word\\|', 'bold')).toBe('|**word**\\|')
  })

  it('work on words with apostrophes, joiners and accents, and not on a part of an emoji', () => {
    expect(runOn("do|n't", 'bold')).toBe("**do|n't**")
    expect(runOn('می\u200cخوا|هم', 'bold')).toBe('**می\u200cخوا|هم**')
    expect(runOn('cafe\u0301|', 'italic')).toBe('_cafe\u0301|_')
    expect(runOn('❤️|', 'bold')).toBe('❤️**|**')
    expect(runOn('👩‍💻|', 'bold')).toBe('👩‍💻**|**')
    expect(runOn('|👩‍💻|', 'bold', 'bold')).toBe('|👩‍💻|')
    expect(runOn('a|b 👩‍💻| c', 'bold')).toBe('a**|b 👩‍💻|** c')
  })

  it('mark each cell of a table', () => {
    const run1 = formatCarets(run(parseCarets('| a ¦b | c¦ |', '¦'), 'bold'), '¦')
    expect(run1).toBe('| a ¦**b** | **c**¦ |')
    expect(formatCarets(run(parseCarets('| a ¦b | c¦ |', '¦'), 'bold', 'bold'), '¦')).toBe('| a ¦b | c¦ |')
    expect(formatCarets(run(parseCarets('| a¦b | c |', '¦'), 'bold'), '¦')).toBe('| **a¦b** | c |')
  })

  it('take a mark away whether the selection stands inside it or includes it', () => {
    expect(runOn('a **|b|** c', 'bold')).toBe('a |b| c')
    expect(runOn('a |**b**| c', 'bold')).toBe('a |b| c')
    expect(runOn('a |`b`| c', 'code')).toBe('a |b| c')
  })

  it('recognise the other spelling of a mark', () => {
    expect(runOn('a *|b|* c', 'italic')).toBe('a |b| c')
    expect(runOn('a __|b|__ c', 'bold')).toBe('a |b| c')
  })

  it('tell marks of one character from marks of two', () => {
    expect(runOn('**|x|**', 'italic')).toBe('**_|x|_**')
    expect(runOn('***|x|***', 'italic')).toBe('**|x|**')
    expect(runOn('***|x|***', 'bold')).toBe('*|x|*')
    expect(runOn('~~|x|~~', 'subscript')).toBe('~|x|~')
    expect(runOn('|~x~|', 'strikethrough')).toBe('~~|x|~~')
  })

  it('find a mark behind others', () => {
    expect(runOn('**_|x|_**', 'bold')).toBe('_|x|_')
    expect(runOn('~~**|x|**~~', 'strikethrough')).toBe('**|x|**')
  })

  it('emphasise inside a word with asterisks, where underscores mean nothing', () => {
    expect(runOn('un|frigging|believable', 'italic')).toBe('un*|frigging|*believable')
  })

  it('mark each line of several, behind the marks of its block, and take the marks away again', () => {
    expect(runOn('|one\n\ntwo|', 'bold')).toBe('|**one**\n\n**two**|')
    expect(runOn('|- one\n  1. two\n- [x] # three|', 'bold')).toBe('|- **one**\n  1. **two**\n- [x] # **three**|')
    expect(runOn('|> one\n> two|', 'italic')).toBe('|> _one_\n> _two_|')
    expect(runOn('|- one\n- two|', 'bold', 'bold')).toBe('|- one\n- two|')
    expect(runOn('|**one**\ntwo|', 'bold')).toBe('|**one**\n**two**|')
    expect(runOn('|- one|', 'bold')).toBe('|- **one**|')
    expect(runOn('|- one|', 'bold', 'bold')).toBe('|- one|')
    expect(runOn('|a\n\n---\n```\nb\n```|', 'bold')).toBe('|**a**\n\n---\n```\nb\n```|')
    expect(run(parseCarets('¦| a | b |\n|---|---|¦', '¦'), 'bold').text).toBe('| **a** | **b** |\n|---|---|')
  })

  it('raise and lower words one by one, as there is no space inside these marks', () => {
    expect(runOn('|a b|', 'superscript')).toBe('|^a^ ^b^|')
    expect(runOn('|a b|', 'subscript', 'subscript')).toBe('|a b|')
  })

  it('fence code that has back quotes in it', () => {
    expect(runOn('|a`b|', 'code')).toBe('``|a`b|``')
    expect(runOn('|`b|', 'code')).toBe('`` |`b| ``')
    expect(runOn('`` |`b| ``', 'code')).toBe('|`b|')
  })
})

describe('line commands', () => {
  it('mark every selected line', () => {
    expect(runOn('|one\ntwo|\nthree', 'unordered-list')).toBe('- |one\n- two|\nthree')
    expect(runOn('|one\ntwo|\nthree', 'task-list')).toBe('- [ ] |one\n- [ ] two|\nthree')
    expect(runOn('|one\ntwo|\nthree', 'quote')).toBe('> |one\n> two|\nthree')
    expect(runOn('|one\ntwo|\nthree', 'heading')).toBe('# |one\n# two|\nthree')
  })

  it('number the lines of an ordered list', () => {
    expect(runOn('|one\n\ntwo|', 'ordered-list')).toBe('1. |one\n\n2. two|')
  })

  it('do not take a line of which only the start is selected', () => {
    expect(runOn('|one\n|two', 'unordered-list')).toBe('- |one\n|two')
  })

  it('take the marks away, in any spelling', () => {
    expect(runOn('|- a\n- b|', 'unordered-list')).toBe('|a\nb|')
    expect(runOn('* a|', 'unordered-list')).toBe('a|')
    expect(runOn('|1. a\n1. b|', 'ordered-list')).toBe('|a\nb|')
    expect(runOn('- [x] a|', 'task-list')).toBe('a|')
    expect(runOn('|> a\n>b|', 'quote')).toBe('|a\nb|')
  })

  it('turn one kind of list into another', () => {
    expect(runOn('|1. a\n2. b|', 'unordered-list')).toBe('- |a\n- b|')
    expect(runOn('- a|', 'task-list')).toBe('- [ ] a|')
    expect(runOn('- [ ] a|', 'ordered-list')).toBe('1. a|')
  })

  it('go on with the list above, in its own style', () => {
    expect(runOn('1. a\n2. b\nc|', 'ordered-list')).toBe('1. a\n2. b\n3. c|')
    expect(runOn('7) a\nc|', 'ordered-list')).toBe('7) a\n8) c|')
    expect(runOn('* a\nb|', 'unordered-list')).toBe('* a\n* b|')
    expect(runOn('1. a\n   - x\nc|', 'ordered-list')).toBe('1. a\n   - x\n2. c|')
    expect(runOn('1. a\n2. b\nc|', 'ordered-list', 'ordered-list')).toBe('1. a\n2. b\nc|')
  })

  it('keep what is nested in its item when marks become wider or narrower', () => {
    expect(runOn('|- a\n  - b\n- c|', 'ordered-list')).toBe('1. |a\n   1. b\n2. c|')
    expect(runOn('|1. a\n   1. b\n2. c|', 'unordered-list')).toBe('- |a\n  - b\n- c|')
    expect(runOn('- a|\n  - b\n\n  text\n- c', 'ordered-list')).toBe('1. a|\n   - b\n\n   text\n- c')
    expect(runOn('|- a\n  more\n- b|', 'ordered-list')).toBe('1. |a\n   more\n2. b|')
    expect(runOn('> - a|\n\n  text', 'ordered-list')).toBe('> 1. a|\n\n  text')
    const ten = Array.from({ length: 10 }, () => '- a').join('\n')
    expect(run({ text: `${ten}\n  - b`, selectionStart: 0, selectionEnd: 39 }, 'ordered-list').text).toMatch(
      /\n10\. a\n {4}- b$/,
    )
    expect(runOn('- a|\n  ```\n  1. x\n  ```', 'ordered-list')).toBe('1. a|\n   ```\n   1. x\n   ```')
  })

  it('set a level of headings, or take it away', () => {
    expect(runOn('a|', 'heading-2')).toBe('## a|')
    expect(runOn('## a|', 'heading-2')).toBe('a|')
    expect(runOn('- a|', 'heading-6')).toBe('- ###### a|')
    expect(runOn('|# a\n\nb|', 'heading-1')).toBe('|a\n\nb|')
  })

  it('work inside quotes, indentation and lists', () => {
    expect(runOn('> a|', 'unordered-list')).toBe('> - a|')
    expect(runOn('> > - a|', 'unordered-list')).toBe('> > a|')
    expect(runOn('  a|', 'ordered-list')).toBe('  1. a|')
    expect(runOn('> a|', 'heading')).toBe('> # a|')
    expect(runOn('- a|', 'heading')).toBe('- # a|')
  })

  it('go round the levels of headings', () => {
    const names = Array.from({ length: 7 }, () => 'heading' as const)
    expect(runOn('T|', ...names.slice(0, 3))).toBe('### T|')
    expect(runOn('T|', ...names.slice(0, 6))).toBe('###### T|')
    expect(runOn('T|', ...names)).toBe('T|')
  })

  it('set all selected lines to one level', () => {
    expect(runOn('|# a\n### b\nc|', 'heading')).toBe('## |a\n## b\n## c|')
  })
})

describe('code-block', () => {
  it('fences the selected lines', () => {
    expect(runOn('one\n|two|\nthree', 'code-block')).toBe('one\n```\n|two|\n```\nthree')
    expect(runOn('|', 'code-block')).toBe('```\n|\n```')
  })

  it('fences with more back quotes than the text has', () => {
    expect(runOn('|```\na\n```\nb|', 'code-block')).toBe('````\n|```\na\n```\nb|\n````')
  })

  it('takes the fences away from anywhere inside the block', () => {
    expect(runOn('x\n```ts\na\n|b\n```\ny', 'code-block')).toBe('x\na\n|b\ny')
    expect(runOn('|~~~\na\n~~~|', 'code-block')).toBe('|a|')
    expect(runOn('```\na|', 'code-block')).toBe('a|')
  })

  it('is what code does with several lines', () => {
    expect(runOn('|a\nb|', 'code')).toBe('```\n|a\nb|\n```')
    expect(runOn('```\n|a\nb|\n```', 'code')).toBe('|a\nb|')
  })

  it('stays inside a quote', () => {
    expect(runOn('> |a|', 'code-block')).toBe('> ```\n> |a|\n> ```')
  })
})

describe('blocks', () => {
  it('stand behind the current line, between empty lines, and delete nothing', () => {
    expect(runOn('one |two| x\n\nthree', 'horizontal-rule')).toBe('one two x\n\n---|\n\nthree')
    expect(runOn('|', 'horizontal-rule')).toBe('---\n\n|')
    expect(runOn('one\n|\nthree', 'horizontal-rule')).toBe('one\n\n---\n|\nthree')
  })

  it('stay inside a quote or a list item', () => {
    expect(runOn('> - a|\n> - b', 'horizontal-rule')).toBe('> - a\n>\n>   ---\n>|\n> - b')
  })

  it('select the first header of a table', () => {
    expect(formatCarets(run(parseCarets('¦', '¦'), 'table'), '¦')).toBe(
      '| ¦Header¦ | Header |\n| ------ | ------ |\n| Cell   | Cell   |\n\n',
    )
  })

  it('do not come between the lines of a block', () => {
    const table = '| Header | Header |\n| ------ | ------ |\n| Cell   | Cell   |'
    expect(runOn('|', 'table', 'table').replaceAll('|', '')).toBe(`${table}\n\n${table}\n\n`.replaceAll('|', ''))
    expect(runOn('o|ne\ntwo\n===\nx', 'horizontal-rule')).toBe('one\ntwo\n===\nx\n\n---\n\n|')
    expect(runOn('# o|ne\ntwo', 'horizontal-rule')).toBe('# one\n\n---\n|\ntwo')
    expect(runOn('```\na|\n\nb\n```\nx', 'horizontal-rule')).toBe('```\na\n\nb\n```\n\n---\n|\nx')
    expect(runOn('- a|\n  b\n- c', 'horizontal-rule')).toBe('- a\n  b\n\n  ---\n|\n- c')
  })

  it('fold a whole table or code block away, though only a part is selected', () => {
    const folded = (block: string): string => `<details>\n<summary>Click to expand</summary>\n\n${block}\n\n</details>`
    const { text } = run(parseCarets('¦', '¦'), 'table', 'details')
    expect(text).toBe(`${folded('| Header | Header |\n| ------ | ------ |\n| Cell   | Cell   |')}\n\n`)
    expect(runOn('```\n|a|\nb\n```', 'details').replaceAll('|', '')).toBe(folded('```\na\nb\n```'))
    expect(runOn('x\n|y|\nz', 'details').replaceAll('|', '')).toBe(`x\n\n${folded('y')}\n\nz`)
  })

  it('put a second fold-out section behind the first', () => {
    const section = '<details>\n<summary>Click to expand</summary>\n\nContent here\n\n</details>\n\n'
    expect(run(parseCarets('|'), 'details', 'details').text).toBe(section + section)
    expect(run(parseCarets('a|'), 'details', 'details').text).toBe(`a\n\n${section}${section}`)
    expect(runOn('<details>\n\na|\n\n</details>', 'horizontal-rule')).toBe('<details>\n\na\n\n---|\n\n</details>')
  })

  it('fold the selected lines away and select the summary', () => {
    expect(runOn('|one\ntwo|', 'details')).toBe(
      '<details>\n<summary>|Click to expand|</summary>\n\none\ntwo\n\n</details>',
    )
    expect(runOn('|', 'details')).toBe(
      '<details>\n<summary>|Click to expand|</summary>\n\nContent here\n\n</details>\n\n',
    )
  })
})

describe('link', () => {
  it('links the selection or the word and selects the address', () => {
    expect(runOn('hello |world|', 'link')).toBe('hello [world](|url|)')
    expect(runOn('hello wor|ld', 'link')).toBe('hello [world](|url|)')
    expect(runOn('|', 'link')).toBe('[|text|](url)')
  })

  it('uses a selected address as the address', () => {
    expect(runOn('see |https://example.org/a|', 'link')).toBe('see [|text|](https://example.org/a)')
  })

  it('takes a link that has no address yet away again', () => {
    expect(runOn('hello |world|', 'link', 'link')).toBe('hello |world|')
    expect(runOn('|one\ntwo|', 'link', 'link')).toBe('|one\ntwo|')
    expect(runOn('|', 'link', 'link')).toBe('|')
  })

  it('never takes a word of the user away', () => {
    expect(runOn('my text|', 'link', 'link')).toBe('my |text|')
  })

  it('escapes what would break the label, and gives the text back', () => {
    expect(runOn('|a]b|', 'link')).toBe('[a\\]b](|url|)')
    expect(runOn('|a]b|', 'link', 'link')).toBe('|a]b|')
    expect(runOn('|a\\|', 'link')).toBe('[a\\\\](|url|)')
    expect(runOn('|a\\|', 'link', 'link')).toBe('|a\\|')
    expect(runOn('|![a](b)|', 'link')).toBe('[![a](b)](|url|)')
    expect(runOn('|[a] b|', 'link', 'link')).toBe('|[a] b|')
  })

  it('stays in its paragraph', () => {
    expect(runOn('|one\n\ntwo|', 'link')).toBe('[one](|url|)\n\ntwo')
    expect(runOn('|- one\n- two|', 'link')).toBe('- [one](|url|)\n- two')
  })

  it('selects the address of a link that has one', () => {
    expect(runOn('a [wor|ld](https://example.org) b', 'link')).toBe('a [world](|https://example.org|) b')
    expect(runOn('a [wor|ld](<b c>) b', 'link')).toBe('a [world](<|b c|>) b')
  })
})

describe('embed', () => {
  const frame = (url: string, title: string): string =>
    `<iframe src="${url}" title="${title}" width="100%" height="400" allowfullscreen></iframe>|`

  it('makes a frame of the selected address of a known host', () => {
    expect(runOn('|https://youtu.be/dQw4w9WgXcQ?t=10|', 'embed')).toBe(
      frame('https://www.youtube.com/embed/dQw4w9WgXcQ?start=10', 'YouTube video'),
    )
    expect(runOn('|https://www.youtube.com/watch?v=abc&list=x|', 'embed')).toBe(
      frame('https://www.youtube.com/embed/abc', 'YouTube video'),
    )
    expect(runOn('|https://vimeo.com/12345|', 'embed')).toBe(
      frame('https://player.vimeo.com/video/12345', 'Vimeo video'),
    )
    expect(runOn('|https://codepen.io/user/pen/AbC|', 'embed')).toBe(
      frame('https://codepen.io/user/embed/AbC?default-tab=result', 'CodePen'),
    )
  })

  it('compares hosts as a browser reads them', () => {
    expect(runOn('|https://evil.example/?youtube.com/watch?v=abc|', 'embed')).toContain('embed/VIDEO_ID')
    expect(runOn('|https://www.youtube.com@evil.example/watch?v=abc|', 'embed')).toContain('embed/VIDEO_ID')
    expect(runOn('|https://www.youtube.com/watch?v="onload="x|', 'embed')).toContain('embed/VIDEO_ID')
  })

  it('corrects an address that was put into the frame', () => {
    expect(runOn('<iframe src="|https://youtu.be/abc|"></iframe>', 'embed')).toBe(
      '<iframe src="https://www.youtube.com/embed/abc|"></iframe>',
    )
  })
})

describe('isActive', () => {
  const active = (notation: string): string[] =>
    Object.entries(TEXT_COMMANDS)
      .filter(([, { isActive }]) => isActive?.(parseCarets(notation)))
      .map(([name]) => name)

  it('names what the selection has', () => {
    expect(active('**_|x|_**')).toEqual(['bold', 'italic'])
    expect(active('> - [ ] x|')).toEqual(['task-list', 'quote'])
    expect(active('## x|')).toEqual(['heading', 'heading-2'])
    expect(active('**one t|wo**')).toEqual(['bold'])
    expect(active('```\nx|\n```')).toEqual(['code-block'])
    expect(active('plain|')).toEqual([])
  })
})

describe('F39: what the original got wrong', () => {
  it('F39: inserting a block never deletes the selection', () => {
    for (const name of [
      'horizontal-rule',
      'table',
      'details',
      'code-block',
      'embed',
      'line-break',
      'footnote',
    ] as const) {
      const { text } = run(parseCarets('one |two\nthree| four'), name)
      for (const word of ['one', 'two', 'three', 'four']) expect(text).toContain(word)
    }
  })

  it('F39: the caret is inside a new code block, and its text is the selection', () => {
    expect(runOn('|', 'code-block')).toBe('```\n|\n```')
    expect(runOn('|a\nb|', 'code-block')).toBe('```\n|a\nb|\n```')
  })

  it('F39: numbers count', () => {
    expect(runOn('|a\nb\nc|', 'ordered-list')).toBe('1. |a\n2. b\n3. c|')
  })

  it('F39: headings do not pile up', () => {
    expect(runOn('# a|', 'heading-2')).toBe('## a|')
    expect(runOn('## a|', 'heading-3')).toBe('### a|')
  })

  it('F39: a footnote gets the next whole number that is free', () => {
    expect(runOn('a[^1]| b[^1]\n\n[^1]: x', 'footnote')).toBe('a[^1][^2] b[^1]\n\n[^1]: x\n[^2]: |')
    expect(runOn('a[^3]|\n\n[^3]: x\n', 'footnote')).toBe('a[^3][^4]\n\n[^3]: x\n\n[^4]: |')
    expect(runOn('a|', 'footnote')).toBe('a[^1]\n\n[^1]: |')
  })

  it('F39: a selection that includes the mark is not marked again', () => {
    expect(runOn('|**b**|', 'bold')).toBe('|b|')
    expect(runOn('|*b*|', 'italic')).toBe('|b|')
    expect(runOn('|`b`|', 'code')).toBe('|b|')
  })
})
