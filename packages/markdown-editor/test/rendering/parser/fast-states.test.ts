import fc from 'fast-check'
import MarkdownIt, { type Token } from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { useFastStates } from '../../../src/rendering/parser/fast-states.ts'
import { nastyMarkdown } from '../../text/support/nasty-markdown.ts'
import { commonmark, gfm } from '../conformance/examples.ts'
import { documents } from '../support/changing-documents.ts'

const options = { html: true, linkify: true }
const stock = new MarkdownIt(options)
const fast = new MarkdownIt(options)
const isUsed = useFastStates(fast)

/** Tokens as plain data. */
function dataOf(tokens: readonly Token[]): unknown {
  return tokens.map((token) => ({ ...token, children: token.children && dataOf(token.children) }))
}

function expectSame(markdown: string): void {
  expect(dataOf(fast.parse(markdown, {}))).toEqual(dataOf(stock.parse(markdown, {})))
  expect(fast.render(markdown)).toBe(stock.render(markdown))
}

describe('quicker states', () => {
  it('are used with the installed markdown-it', () => {
    expect(isUsed).toBe(true)
    expect(fast.inline.State).not.toBe(stock.inline.State)
    expect(fast.block.State).not.toBe(stock.block.State)
  })

  it('make tokens and states of the same classes, with the same methods', () => {
    const { Token: StockToken } = new stock.core.State('', stock, {})
    const inline = new fast.inline.State('a', fast, {}, [])
    const block = new fast.block.State('a', fast, {}, [])
    expect(inline).toBeInstanceOf(stock.inline.State)
    expect(block).toBeInstanceOf(stock.block.State)
    expect(inline.scanDelims).toBe(stock.inline.State.prototype.scanDelims)
    for (const token of [inline.push('a', 'b', 1), block.push('a', 'b', 1), new inline.Token('a', 'b', 0)]) {
      expect(token).toBeInstanceOf(StockToken)
      token.attrSet('c', 'd')
      expect(token.attrGet('c')).toBe('d')
    }
  })

  it('give the same tokens and HTML for the examples of the specifications', () => {
    for (const { markdown } of [...commonmark, ...gfm]) expectSame(markdown)
  })

  it('give the same tokens and HTML for any text', () => {
    const text = fc.oneof(nastyMarkdown, documents, fc.string({ unit: 'binary' }))
    fc.assert(fc.property(text, expectSame), { numRuns: 500 })
  })

  it('take tokens as the stock ones do', () => {
    const pushes = fc.array(fc.record({ text: fc.constantFrom('', 'a'), nesting: fc.constantFrom(-1, 0, 1) }))
    fc.assert(
      fc.property(pushes, (all) => {
        const [own, other] = [fast, stock].map((parser) => {
          const inline = new parser.inline.State('', parser, {}, [])
          const block = new parser.block.State('', parser, {}, [])
          for (const push of all) {
            const nesting = push.nesting === -1 && inline.level === 0 ? 0 : push.nesting
            inline.pending += push.text
            inline.push('a', 'b', nesting)
            block.push('a', 'b', nesting)
          }
          const { level, pendingLevel, pending, tokens_meta, delimiters, _prev_delimiters } = inline
          const fields = { level, pendingLevel, pending, tokens_meta, delimiters, _prev_delimiters, block: block.level }
          return { ...fields, tokens: dataOf([...inline.tokens, ...block.tokens]) }
        })
        expect(own).toEqual(other)
      }),
    )
  })

  it('are not used where tokens or states have other fields', () => {
    const withToken = new MarkdownIt(options)
    const { State: Core } = withToken.core
    const { Token: StockToken } = new Core('', withToken, {})
    withToken.core.State = class extends Core {
      override Token = class extends StockToken {
        other = 1
      }
    }
    const withInline = new MarkdownIt(options)
    withInline.inline.State = class extends withInline.inline.State {
      other = 1
    }
    for (const parser of [withToken, withInline]) {
      const { inline, block } = { inline: parser.inline.State, block: parser.block.State }
      expect(useFastStates(parser)).toBe(false)
      expect([parser.inline.State, parser.block.State]).toEqual([inline, block])
      expect(parser.render('*a*')).toBe('<p><em>a</em></p>\n')
    }
  })
})
