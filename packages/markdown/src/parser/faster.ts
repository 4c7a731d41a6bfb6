import type { MarkdownIt, StateBlock, StateInline, Token } from 'markdown-it'

type TokenClass = new (type: string, tag: string, nesting: -1 | 0 | 1) => Token
type Nesting = -1 | 0 | 1

/**
 * Makes a parser faster by replacing its classes of tokens and states. markdown-it 15 is published
 * with a helper call for each field of these classes, which takes a quarter of the parsing time.
 * The classes here have the same fields and inherit the same methods. If those of the installed
 * version behave differently, they are kept.
 *
 * @param parser - a new parser, without rules of plugins
 * @returns whether the classes were replaced
 * @see https://github.com/markdown-it/markdown-it/blob/15.0.3/src/rules_inline/state_inline.ts
 */
export function useFastStates(parser: MarkdownIt): boolean {
  const stock = { inline: parser.inline.State, block: parser.block.State }
  const token = fastToken(new parser.core.State('', parser, {}).Token as TokenClass)
  const fast = {
    inline: fastInlineState(stock.inline, token),
    block: fastBlockState(stock.block, token),
  }
  if (!behaveAlike(parser, stock, fast)) return false
  parser.inline.State = fast.inline
  parser.block.State = fast.block
  return true
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

type InlineFields = Omit<StateInline, 'scanDelims' | 'push' | 'pushPending'>

function fastInlineState(stock: typeof StateInline, token: TokenClass): typeof StateInline {
  class FastInlineState implements InlineFields {
    pos = 0
    level = 0
    pending = ''
    pendingLevel = 0
    cache: InlineFields['cache'] = {}
    backticks: InlineFields['backticks'] = {}
    backticksScanned = false
    skipHtmlSpecial = false
    linkLevel = 0
    delimiters: InlineFields['delimiters'] = []
    _prev_delimiters: InlineFields['_prev_delimiters'] = []
    Token = token as typeof Token
    src: string
    env: InlineFields['env']
    md: MarkdownIt
    tokens: Token[]
    tokens_meta: InlineFields['tokens_meta']
    posMax: number

    constructor(src: string, md: MarkdownIt, env: InlineFields['env'], tokens: Token[]) {
      this.src = src
      this.env = env
      this.md = md
      this.tokens = tokens
      this.tokens_meta = new Array(tokens.length)
      this.posMax = src.length
    }

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
      if (nesting < 0) this.level--
      made.level = this.level
      if (nesting > 0) this.level++
      this.pendingLevel = this.level
      this.tokens.push(made)
      this.tokens_meta.push(nestDelimiters(this, nesting))
      return made
    }
  }
  return inheriting(FastInlineState, stock)
}

// Each opening tag begins a new list of delimiters, which the closing tag ends.
function nestDelimiters(
  state: Pick<InlineFields, 'delimiters' | '_prev_delimiters'>,
  nesting: Nesting,
): InlineFields['tokens_meta'][number] {
  if (nesting < 0) state.delimiters = state._prev_delimiters.pop() ?? []
  if (nesting <= 0) return undefined
  state._prev_delimiters.push(state.delimiters)
  state.delimiters = []
  return { delimiters: state.delimiters }
}

// Like `extends`, but does not call the constructor of the stock class.
function inheriting<Stock extends abstract new (...args: never[]) => object>(
  own: object,
  stock: Stock,
): Stock {
  const { prototype } = own as { prototype: object }
  Object.setPrototypeOf(prototype, stock.prototype as object)
  return own as Stock
}

interface StateClasses {
  readonly inline: typeof StateInline
  readonly block: typeof StateBlock
}

// Contains every construct of Markdown, with text before and after it.
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

// Whether a parser behaves the same with other classes: creates states, adds tokens, parses a text,
// and compares all fields after each step. It compares behavior, because bundlers change the
// source.
function behaveAlike(parser: MarkdownIt, some: StateClasses, others: StateClasses): boolean {
  const own: StateClasses = { inline: parser.inline.State, block: parser.block.State }
  const environment = {}
  try {
    const otherSteps = run(parser, others, environment)
    for (const step of run(parser, some, environment)) {
      if (!isAlike(step, otherSteps.next().value)) return false
    }
    return true
  } catch {
    return false // A field or a method is missing.
  } finally {
    parser.inline.State = own.inline
    parser.block.State = own.block
  }
}

// Yields the states and tokens after each step.
function* run(
  parser: MarkdownIt,
  classes: StateClasses,
  environment: Record<string, unknown>,
): Generator<unknown, void> {
  const block = new classes.block('a\n> b', parser, environment, [])
  const inline = new classes.inline('a b', parser, environment, [new block.Token('a', 'b', 0)])
  yield [block, inline]
  for (const pending of ['', 'a']) {
    for (const nesting of [1, 0, 1, -1, -1] as const) {
      inline.pending += pending
      yield [block.push('a', 'b', nesting), inline.push('a', 'b', nesting), block, inline]
    }
  }
  parser.inline.State = classes.inline
  parser.block.State = classes.block
  yield parser.parse(sample, {})
}

// Whether all own fields are equal, except the class of the tokens.
function isAlike(some: unknown, other: unknown): boolean {
  if (Object.is(some, other)) return true
  if (!isObject(some) || !isObject(other)) return false
  const names = Object.keys(some)
  return (
    names.length === Object.keys(other).length &&
    some['length'] === other['length'] &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) && (name === 'Token' || isAlike(some[name], other[name])),
    )
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

// URLs without characters that could be encoded or decoded.
const absolute =
  /^(?!\/\/)(?:https?:\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)*)?(?:[/#?][\w\-./~!*'();:@&=+$,#?]*)?$/
const relative = /^[\w-][\w.-]*(?:\/[\w\-./]*)?(?:#[\w-]*)?$/

/** Makes a parser faster by not normalizing simple URLs, which would stay unchanged. */
export function useFastLinks(parser: MarkdownIt): void {
  const normalize = parser.normalizeLink.bind(parser)
  parser.normalizeLink = (url) => (absolute.test(url) || relative.test(url) ? url : normalize(url))
}
