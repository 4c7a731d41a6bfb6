import type { MarkdownIt, StateBlock, StateInline, Token } from 'markdown-it'

type Nesting = -1 | 0 | 1
type TokenClass = new (type: string, tag: string, nesting: Nesting) => Token

interface StateClasses {
  readonly inline: typeof StateInline
  readonly block: typeof StateBlock
}

/**
 * Makes a parser faster by replacing its classes of tokens and states. In the published code of
 * markdown-it 15, these classes call a helper for each field, which takes a quarter of the parsing
 * time. If the installed version behaves differently, keeps its classes and returns false.
 *
 * @see https://github.com/markdown-it/markdown-it/blob/15.0.3/src/rules_inline/state_inline.ts
 */
export function useFastStates(parser: MarkdownIt): boolean {
  const stock = { inline: parser.inline.State, block: parser.block.State }
  const token = fastToken(new parser.core.State('', parser, {}).Token as TokenClass)
  const fast = {
    inline: fastInlineState(stock.inline, token),
    block: fastBlockState(stock.block, token),
  }
  const isSame = behavior(parser, stock) === behavior(parser, fast)
  const { inline, block } = isSame ? fast : stock
  parser.inline.State = inline
  parser.block.State = block
  return isSame
}

function fastToken(stock: TokenClass): TokenClass {
  class FastToken {
    map = null
    level = 0
    children = null
    content = ''
    markup = ''
    info = ''
    block = false
    hidden = false
    type: string
    tag: string
    attrs = null
    nesting: Nesting
    meta = null

    constructor(type: string, tag: string, nesting: Nesting) {
      this.type = type
      this.tag = tag
      this.nesting = nesting
    }
  }
  return inheriting(FastToken, stock)
}

function fastBlockState(stock: typeof StateBlock, token: TokenClass): typeof StateBlock {
  return class FastBlockState extends stock {
    override Token = token as typeof Token

    override push(type: string, tag: string, nesting: Nesting): Token {
      const made = new token(type, tag, nesting)
      made.block = true
      if (nesting < 0) this.level--
      made.level = this.level
      if (nesting > 0) this.level++
      this.tokens.push(made)
      return made
    }
  }
}

type InlineField = Exclude<keyof StateInline, 'Token' | 'scanDelims' | 'push' | 'pushPending'>

class InlineFields implements Pick<StateInline, InlineField> {
  pos = 0
  level = 0
  pending = ''
  pendingLevel = 0
  cache: StateInline['cache'] = {}
  backticks: StateInline['backticks'] = {}
  backticksScanned = false
  skipHtmlSpecial = false
  linkLevel = 0
  delimiters: StateInline['delimiters'] = []
  _prev_delimiters: StateInline['_prev_delimiters'] = []
  src: string
  env: StateInline['env']
  md: MarkdownIt
  tokens: Token[]
  tokens_meta: StateInline['tokens_meta']
  posMax: number

  constructor(src: string, md: MarkdownIt, env: StateInline['env'], tokens: Token[]) {
    this.src = src
    this.env = env
    this.md = md
    this.tokens = tokens
    this.tokens_meta = new Array(tokens.length)
    this.posMax = src.length
  }
}

function fastInlineState(stock: typeof StateInline, token: TokenClass): typeof StateInline {
  class FastInlineState extends InlineFields {
    Token = token as typeof Token

    pushPending(): Token {
      const made = new token('text', '', 0)
      made.content = this.pending
      made.level = this.pendingLevel
      this.tokens.push(made)
      this.pending = ''
      return made
    }

    push(type: string, tag: string, nesting: Nesting): Token {
      if (this.pending !== '') this.pushPending()
      const made = new token(type, tag, nesting)
      let meta: StateInline['tokens_meta'][number]
      if (nesting < 0) {
        this.level--
        this.delimiters = this._prev_delimiters.pop() ?? []
      }
      made.level = this.level
      if (nesting > 0) {
        this.level++
        this._prev_delimiters.push(this.delimiters)
        this.delimiters = []
        meta = { delimiters: this.delimiters }
      }
      this.pendingLevel = this.level
      this.tokens.push(made)
      this.tokens_meta.push(meta)
      return made
    }
  }
  return inheriting(FastInlineState, stock)
}

// Creates a subclass that does not call the constructor of the original class.
function inheriting<Stock extends abstract new (...args: never[]) => object>(
  own: object,
  stock: Stock,
): Stock {
  const { prototype } = own as { prototype: object }
  Object.setPrototypeOf(prototype, stock.prototype as object)
  return own as Stock
}

// A text with every construct of Markdown, each between other text.
const sample = `# a *b* _c_ **d** __e__ ~~f~~ \`g\` [h](/i "j") ![k *l*](/m) <n@o.example> <b>p</b> http://q.example \\* &amp;\x20\x20
r\\
s **t _u** v_ [w] ![x][w] *

> 1. y
>
>    \`\`\`z
>    a
>    \`\`\`
>
> - b

    c

| d | e |
|:-:|---|
| *f* |

<div>
g
</div>

***

h
===

[w]: /i 'j'`

// Returns all fields of the states and tokens after each step of parsing. The source code of the
// classes cannot be compared, because bundlers change it.
function behavior(parser: MarkdownIt, classes: StateClasses): string {
  try {
    const block = new classes.block('a\n> b', parser, {}, [])
    const inline = new classes.inline('a b', parser, {}, [new block.Token('a', 'b', 0)])
    let steps = describe([block, inline])
    for (const pending of ['', 'a']) {
      for (const nesting of [1, 0, 1, -1, -1] as const) {
        inline.pending += pending
        const pushed = [block.push('a', 'b', nesting), inline.push('a', 'b', nesting)]
        steps += describe([pushed, block, inline])
      }
    }
    parser.inline.State = classes.inline
    parser.block.State = classes.block
    return steps + describe(parser.parse(sample, {}))
  } catch (error) {
    return String(error)
  }
}

function describe(value: unknown): string {
  return JSON.stringify(value, (name, field: unknown) => {
    return name === 'md' || name === 'Token' ? undefined : field
  })
}

// Match URLs that contain no character that `normalizeLink` would encode or decode.
const absolute =
  /^(?!\/\/)(?:https?:\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)*)?(?:[/#?][\w\-./~!*'();:@&=+$,#?]*)?$/
const relative = /^[\w-][\w.-]*(?:\/[\w\-./]*)?(?:#[\w-]*)?$/

/** Makes a parser faster. Simple URLs are not normalized, because they would not change. */
export function useFastLinks(parser: MarkdownIt): void {
  const normalize = parser.normalizeLink.bind(parser)
  parser.normalizeLink = (url) => (absolute.test(url) || relative.test(url) ? url : normalize(url))
}
