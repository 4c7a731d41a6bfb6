import { runInNewContext } from 'node:vm'
import { build } from 'esbuild'
import fc from 'fast-check'
import MarkdownIt, {
  type MarkdownIt as Parser,
  type StateBlock,
  type StateInline,
  type Token,
} from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { useFastStates } from '../src/syntax/faster.ts'
import { commonmark, gfm } from './conformance/examples.ts'
import { nastyMarkdown } from './media-urls/support/nasty-markdown.ts'
import { documents } from './support/changing-documents.ts'

const options = { html: true, linkify: true }
const stock = new MarkdownIt(options)
const fast = new MarkdownIt(options)
const isUsed = useFastStates(fast)

interface Classes {
  readonly inline: typeof StateInline
  readonly block: typeof StateBlock
  readonly token: typeof Token
}

/** Returns a class like `stock` whose instances have the given value in a field. */
function makeOther<Class extends new (...args: never[]) => object>(
  stock: Class,
  field: string,
  value: unknown,
): Class {
  return new Proxy(stock, {
    construct: (target, args, newTarget) =>
      Object.assign(Reflect.construct(target, args, newTarget), { [field]: value }),
  })
}

function dataOf(tokens: readonly Token[]): unknown {
  return tokens.map((token) => ({ ...token, children: token.children && dataOf(token.children) }))
}

function expectSame(markdown: string): void {
  expect(dataOf(fast.parse(markdown, {}))).toEqual(dataOf(stock.parse(markdown, {})))
  expect(fast.render(markdown)).toBe(stock.render(markdown))
}

describe('the fast states', () => {
  it('are used with the installed markdown-it', () => {
    expect(isUsed).toBe(true)
    expect(fast.inline.State).not.toBe(stock.inline.State)
    expect(fast.block.State).not.toBe(stock.block.State)
  })

  it('create tokens and states of the same classes, with the same methods', () => {
    const { Token: StockToken } = new stock.core.State('', stock, {})
    const inline = new fast.inline.State('a', fast, {}, [])
    const block = new fast.block.State('a', fast, {}, [])
    expect(inline).toBeInstanceOf(stock.inline.State)
    expect(block).toBeInstanceOf(stock.block.State)
    expect(inline.scanDelims).toBe(stock.inline.State.prototype.scanDelims)
    for (const token of [
      inline.push('a', 'b', 1),
      block.push('a', 'b', 1),
      new inline.Token('a', 'b', 0),
    ]) {
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

  it('accept tokens like the stock states', () => {
    const pushes = fc.array(
      fc.record({ text: fc.constantFrom('', 'a'), nesting: fc.constantFrom(-1, 0, 1) }),
    )
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
          const fields = {
            level,
            pendingLevel,
            pending,
            tokens_meta,
            delimiters,
            _prev_delimiters,
            block: block.level,
          }
          return { ...fields, tokens: dataOf([...inline.tokens, ...block.tokens]) }
        })
        expect(own).toEqual(other)
      }),
    )
  })

  it('are used when a bundler has shortened all names', async () => {
    const folder = import.meta.dirname
    const { outputFiles } = await build({
      stdin: {
        contents: `import MarkdownIt from 'markdown-it'
          import { useFastStates } from '../src/syntax/faster.ts'
          globalThis.isUsed = useFastStates(new MarkdownIt({ html: true, linkify: true }))`,
        resolveDir: folder,
      },
      ...{ bundle: true, minify: true, format: 'iife', target: 'es2022', write: false },
    })
    const context: { isUsed?: boolean } = {}
    runInNewContext(outputFiles[0]?.text ?? '', context)
    expect(context.isUsed).toBe(true)
  })

  function changed(change: (classes: Classes) => Partial<Classes>): Parser {
    const parser = new MarkdownIt(options)
    const { Token: StockToken } = new parser.core.State('', parser, {})
    const classes = { inline: parser.inline.State, block: parser.block.State, token: StockToken }
    const { inline, block, token } = { ...classes, ...change(classes) }
    parser.core.State = class extends parser.core.State {
      override Token = token
    }
    parser.inline.State = class extends inline {
      override Token = token
    }
    parser.block.State = class extends block {
      override Token = token
    }
    return parser
  }

  it('are used if everything is the same', () => {
    expect(useFastStates(changed(() => ({})))).toBe(true)
  })

  it.each<[string, (classes: Classes) => Partial<Classes>]>([
    ['tokens have other fields', ({ token }) => ({ token: makeOther(token, 'other', 1) })],
    [
      'tokens have another initial value',
      ({ token }) => ({ token: makeOther(token, 'markup', '*') }),
    ],
    ['states have other fields', ({ inline }) => ({ inline: makeOther(inline, 'other', 1) })],
    [
      'states have another initial value',
      ({ inline }) => ({ inline: makeOther(inline, 'linkLevel', 1) }),
    ],
    [
      'states change tokens of text',
      ({ inline }) => ({
        inline: class extends inline {
          override pushPending(): Token {
            return Object.assign(super.pushPending(), { info: 'a' })
          }
        },
      }),
    ],
    [
      'states change inline tokens',
      ({ inline }) => ({
        inline: class extends inline {
          override push(...args: Parameters<StateInline['push']>): Token {
            return Object.assign(super.push(...args), { info: 'a' })
          }
        },
      }),
    ],
    [
      'states change block tokens',
      ({ block }) => ({
        block: class extends block {
          override push(...args: Parameters<StateBlock['push']>): Token {
            return Object.assign(super.push(...args), { info: 'a' })
          }
        },
      }),
    ],
    [
      'states change one type of token',
      ({ inline }) => ({
        inline: class extends inline {
          override push(...args: Parameters<StateInline['push']>): Token {
            return Object.assign(super.push(...args), args[0] === 'html_inline' && { info: 'a' })
          }
        },
      }),
    ],
    [
      'states store data about a token',
      ({ inline }) => ({
        inline: class extends inline {
          override push(...args: Parameters<StateInline['push']>): Token {
            this.cache[-1] = args[2]
            return super.push(...args)
          }
        },
      }),
    ],
    [
      'states have private fields',
      ({ inline }) => ({
        inline: class extends inline {
          #reads = 0
          override scanDelims(
            ...args: Parameters<StateInline['scanDelims']>
          ): ReturnType<StateInline['scanDelims']> {
            this.#reads++
            return super.scanDelims(...args)
          }
        },
      }),
    ],
  ])('are not used if %s', (_, change) => {
    const parser = changed(change)
    const { inline, block } = { inline: parser.inline.State, block: parser.block.State }
    expect(useFastStates(parser)).toBe(false)
    expect([parser.inline.State, parser.block.State]).toEqual([inline, block])
    expect(parser.render('*a*')).toBe('<p><em>a</em></p>\n')
  })
})
