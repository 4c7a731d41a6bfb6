import { describe, expect, it } from 'vitest'
import { formatCarets, parseCarets, run, runOn } from '../support/caret.ts'

const INLINE = [
  'bold',
  'italic',
  'strikethrough',
  'highlight',
  'superscript',
  'subscript',
  'code',
] as const

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

  it('mark the word at the caret', () => {
    expect(runOn('one tw|o three', 'bold')).toBe('one **tw|o** three')
    expect(runOn('naï|ve', 'bold')).toBe('**naï|ve**')
    expect(runOn('日本|語', 'bold')).toBe('**日本|語**')
    expect(runOn('snake_ca|se', 'bold')).toBe('**snake_ca|se**')
  })

  it('insert an empty mark where there is no word, and remove it again', () => {
    expect(runOn('one | two', 'bold')).toBe('one **|** two')
    expect(runOn('one **|** two', 'bold')).toBe('one | two')
    expect(runOn('|', 'code')).toBe('`|`')
    expect(runOn('`|`', 'code')).toBe('|')
  })

  it('exclude white space at the ends of the selection, and restore the selection', () => {
    expect(runOn('one| two |three', 'bold')).toBe('one| **two** |three')
    expect(runOn('one| two |three', 'bold', 'bold')).toBe('one| two |three')
    expect(runOn('one |two |three', 'code', 'code')).toBe('one |two |three')
  })

  it('remove an empty mark if only white space is selected', () => {
    expect(runOn('a|  |b', 'bold')).toBe('a|****  |b')
    expect(runOn('a|  |b', 'bold', 'bold')).toBe('a|  |b')
  })

  it('find the mark around a phrase from any position in it', () => {
    expect(runOn('**one tw|o three**', 'bold')).toBe('one tw|o three')
    expect(runOn('a _b |c| d_', 'italic')).toBe('a b |c| d')
    expect(runOn('a ==b | d==', 'highlight')).toBe('a b | d')
    expect(runOn('a `b c|d e` f `g`', 'code')).toBe('a b c|d e f `g`')
    expect(runOn('snake_case an|d other_name', 'italic')).toBe('snake_case _an|d_ other_name')
    expect(runOn('a `*b` c|d `e*`', 'italic')).toBe('a `*b` _c|d_ `e*`')
  })

  it('remove a mark if one end of it is selected', () => {
    expect(runOn('a |**b|** c', 'bold')).toBe('a |b| c')
    expect(runOn('a **|b**| c', 'bold')).toBe('a |b| c')
  })

  it('merge marks inside the selection', () => {
    expect(runOn('**on|e** two|', 'bold')).toBe('**|one two|**')
    expect(runOn('|one **tw|o**', 'bold')).toBe('**|one two|**')
    expect(runOn('|a **b** c|', 'bold')).toBe('**|a b c|**')
    expect(runOn('|a *b* c|', 'bold')).toBe('**|a *b* c|**')
  })

  it.each([
    ['bold', '**|a b c|**', ['|**a** b **c**|', '**|a** b **c|**', '|__a__ b **c**|']],
    ['italic', '_|a b c|_', ['|_a_ b _c_|', '|*a* b *c*|', '*|a* b _c|_']],
    ['strikethrough', '~~|a b c|~~', ['|~~a~~ b ~~c~~|']],
    ['highlight', '==|a b c|==', ['|==a== b ==c==|']],
  ] as const)(
    'mark a selection that begins and ends with marked words: %s',
    (name, all, states) => {
      for (const state of states) {
        expect(runOn(state, name)).toBe(all)
        expect(runOn(state, name, name)).toBe('|a b c|')
      }
    },
  )

  it('keep the marks of another style at the ends of the selection', () => {
    expect(runOn('|*a* b **c**|', 'italic')).toBe('_|a b **c**|_')
    expect(runOn('|**a** b *c*|', 'italic')).toBe('_|**a** b c|_')
    expect(runOn('|*a* ***b***|', 'italic')).toBe('_|a **b**|_')
    expect(runOn('|***a*** **b**|', 'bold')).toBe('**|*a* b|**')
    expect(runOn('**|*a* b *c*|**', 'bold')).toBe('|*a* b *c*|')
  })

  it('remove the marks of all words if every word is marked', () => {
    expect(runOn('|**a** __c__|', 'bold')).toBe('|a c|')
    expect(runOn('**|a** **b** **c|**', 'bold')).toBe('|a b c|')
    expect(runOn('|**a** b **c**\n**d**|', 'bold')).toBe('|**a b c**\n**d**|')
    expect(runOn('|**a** **c**\n**d**|', 'bold')).toBe('|a c\nd|')
  })

  it('enclose code that begins and ends with code, and restore it', () => {
    expect(runOn('|`a` b `c`|', 'code')).toBe('`` |`a` b `c`| ``')
    expect(runOn('|`a` b `c`|', 'code', 'code')).toBe('|`a` b `c`|')
  })

  it.each(INLINE)('do not change a code block: %s', (name) => {
    for (const text of ['```\nlet |a| = 1\n```', '```\nle|t a\n```', '- ~~~\n  |a|'])
      expect(runOn(text, name)).toBe(text)
  })

  it('avoid positions where a mark has no effect', () => {
    expect(runOn('これは|「強調」|です', 'bold')).toBe('これは|「**強調**」|です')
    expect(runOn('これは|「強調」|です', 'bold', 'bold')).toBe('これは|「強調」|です')
    expect(runOn('say|"it"|so', 'highlight')).toBe('say|"==it=="|so')
    expect(runOn('\\\\|word', 'bold')).toBe('\\\\**|word**')
    expect(runOn('\\wo|rd', 'bold')).toBe('**\\wo|rd**')
    expect(runOn('\\|word|', 'bold')).toBe('**|\\word|**')
    expect(runOn('|word\\|', 'bold')).toBe('|**word**\\|')
    expect(runOn('a|b\\~|c', 'bold')).toBe('a**|b\\~|**c')
    expect(runOn('a|\\|', 'bold')).toBe('a|\\|')
  })

  it('treat apostrophes, joiners and accents as parts of words, and never split an emoji', () => {
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
    expect(formatCarets(run(parseCarets('| a ¦b | c¦ |', '¦'), 'bold', 'bold'), '¦')).toBe(
      '| a ¦b | c¦ |',
    )
    expect(formatCarets(run(parseCarets('| a¦b | c |', '¦'), 'bold'), '¦')).toBe('| **a¦b** | c |')
  })

  it('remove a mark whether the selection is inside it or includes it', () => {
    expect(runOn('a **|b|** c', 'bold')).toBe('a |b| c')
    expect(runOn('a |**b**| c', 'bold')).toBe('a |b| c')
    expect(runOn('a |`b`| c', 'code')).toBe('a |b| c')
  })

  it('recognize the other spelling of a mark', () => {
    expect(runOn('a *|b|* c', 'italic')).toBe('a |b| c')
    expect(runOn('a __|b|__ c', 'bold')).toBe('a |b| c')
  })

  it('distinguish marks of one character from marks of two', () => {
    expect(runOn('**|x|**', 'italic')).toBe('**_|x|_**')
    expect(runOn('***|x|***', 'italic')).toBe('**|x|**')
    expect(runOn('***|x|***', 'bold')).toBe('*|x|*')
    expect(runOn('~~|x|~~', 'subscript')).toBe('~|x|~')
    expect(runOn('|~x~|', 'strikethrough')).toBe('~~|x|~~')
  })

  it('find a mark outside other marks', () => {
    expect(runOn('**_|x|_**', 'bold')).toBe('_|x|_')
    expect(runOn('~~**|x|**~~', 'strikethrough')).toBe('**|x|**')
  })

  it('use asterisks inside a word, where underscores have no effect', () => {
    expect(runOn('un|frigging|believable', 'italic')).toBe('un*|frigging|*believable')
  })

  it('mark each of several lines after its block marks, and remove the marks again', () => {
    expect(runOn('|one\n\ntwo|', 'bold')).toBe('|**one**\n\n**two**|')
    expect(runOn('|- one\n  1. two\n- [x] # three|', 'bold')).toBe(
      '|- **one**\n  1. **two**\n- [x] # **three**|',
    )
    expect(runOn('|> one\n> two|', 'italic')).toBe('|> _one_\n> _two_|')
    expect(runOn('|- one\n- two|', 'bold', 'bold')).toBe('|- one\n- two|')
    expect(runOn('|**one**\ntwo|', 'bold')).toBe('|**one**\n**two**|')
    expect(runOn('|- one|', 'bold')).toBe('|- **one**|')
    expect(runOn('|- one|', 'bold', 'bold')).toBe('|- one|')
    expect(runOn('|a\n\n---\n```\nb\n```|', 'bold')).toBe('|**a**\n\n---\n```\nb\n```|')
    expect(run(parseCarets('¦| a | b |\n|---|---|¦', '¦'), 'bold').text).toBe(
      '| **a** | **b** |\n|---|---|',
    )
  })

  it('mark words one by one in superscript and subscript, which cannot contain spaces', () => {
    expect(runOn('|a b|', 'superscript')).toBe('|^a^ ^b^|')
    expect(runOn('|a b|', 'subscript', 'subscript')).toBe('|a b|')
  })

  it('use longer fences for code that contains backticks', () => {
    expect(runOn('|a`b|', 'code')).toBe('``|a`b|``')
    expect(runOn('|`b|', 'code')).toBe('`` |`b| ``')
    expect(runOn('`` |`b| ``', 'code')).toBe('|`b|')
  })

  it.each(['a\\|b| c', '\\wo|rd', '\\|', '\\\\\\|b|'])('write no escaped backticks: %s', (text) => {
    expect(runOn(text, 'code')).toBe(text)
  })

  it('write backticks after an escaped backslash', () => {
    expect(runOn('\\\\|b|', 'code')).toBe('\\\\`|b|`')
  })

  it.each([
    ['[a](ht|tp://b_c/d)', 'bold'],
    ['[a](http://b/|c_d_e|)', 'italic'],
    ['[a](<b c|d>)', 'italic'],
    ['![a](/b(c|d)e)', 'strikethrough'],
    ['[a](/b|c|d)', 'superscript'],
    ['[a](/|b| "c")', 'code'],
    ['|x [a](/b|c)', 'highlight'],
  ] as const)('do not change an address: %s', (text, name) => {
    expect(runOn(text, name)).toBe(text)
  })

  it('mark the text and the title of a link', () => {
    expect(runOn('[|a|](/b)', 'bold')).toBe('[**|a|**](/b)')
    expect(runOn('|[a](/b)|', 'bold')).toBe('**|[a](/b)|**')
    expect(runOn('[a](/b "|c|")', 'bold')).toBe('[a](/b "**|c|**")')
    expect(runOn('[a](/b) |c|', 'bold')).toBe('[a](/b) **|c|**')
  })
})
