import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../../../markdown/src/index.ts'
import { run } from '../support/caret.ts'

const renderer = new DefaultRenderer({ highlightLanguages: [] })

const elements = [
  ['bold', 'strong'],
  ['italic', 'em'],
  ['strikethrough', 'del'],
  ['highlight', 'mark'],
  ['superscript', 'sup'],
  ['subscript', 'sub'],
  ['code', 'code'],
] as const

// Characters next to a word. There is no backtick, because a backtick could start a code span.
const neighbors = [
  ...['', ' ', '\u00a0'],
  ...'a é e\u0301 ß 7 日 。 「 」 ’ “ ” … – 👩‍💻 ❤️ 𝒳 \u200d'.split(' '),
  ...'. , ; : ? ! " \' ( ) { } / % $ @ + - & | _ # >'.split(' '),
]
const words = ['word', 'naïve', '日本', 'ελ', 'a1', '𝒳𝒴', 'кот']

describe('commands, as rendered', () => {
  it.each(elements)('%s marks a word as <%s> next to any character', (name, element) => {
    const isMarked = (before: string, word: string, after: string): boolean => {
      const start = `x ${before}`.length
      const state = {
        text: `x ${before}${word}${after} y`,
        selectionStart: start,
        selectionEnd: start + word.length,
      }
      return renderer.render(run(state, name).text).includes(`<${element}>${word}</${element}>`)
    }
    const places = neighbors.flatMap((before) =>
      neighbors.flatMap((after) => words.map((word) => [before, word, after] as const)),
    )
    // A word between underscores is already emphasized, so its mark is removed.
    expect(places.filter((place) => !isMarked(...place))).toEqual(
      name === 'italic' ? words.map((word) => ['_', word, '_']) : [],
    )
  })

  it.each(elements)(
    '%s marks a word as <%s> in a heading, a quote, a task, and a cell',
    (name, element) => {
      for (const line of [
        '# a word b',
        '> a word b',
        '- [ ] a word b',
        '1. a word b',
        '| a word b |\n|---|',
        '> - # a word b',
      ]) {
        const start = line.indexOf('word')
        const caret = { text: line, selectionStart: start + 2, selectionEnd: start + 2 }
        expect(renderer.render(run(caret, name).text)).toContain(`<${element}>word</${element}>`)
      }
    },
  )

  it('all marks can be nested', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(elements.filter(([name]) => name !== 'code')), (styles) => {
        // Subscript and strikethrough both use `~`, so they replace each other.
        fc.pre(
          !styles.some(([name]) => name === 'subscript') ||
            !styles.some(([name]) => name === 'strikethrough'),
        )
        const state = styles.reduce((text, [name]) => run(text, name), {
          text: 'a word b',
          selectionStart: 2,
          selectionEnd: 6,
        })
        const html = renderer.render(state.text)
        for (const [, element] of styles) expect(html).toContain(`<${element}>`)
        const back = styles.reduce((text, [name]) => run(text, name), state)
        expect(back).toEqual({ text: 'a word b', selectionStart: 2, selectionEnd: 6 })
      }),
    )
  })
})
