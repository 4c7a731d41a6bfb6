import { describe, expect, it } from 'vitest'
import { formatCarets, parseCarets, run, runOn } from '../support/caret.ts'

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
    expect(formatCarets(run(parseCarets('| a ¦b | c¦ |', '¦'), 'bold', 'bold'), '¦')).toBe(
      '| a ¦b | c¦ |',
    )
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
