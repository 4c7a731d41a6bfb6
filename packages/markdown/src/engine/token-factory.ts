import type { Token } from 'markdown-it'

type Attributes = readonly (readonly [name: string, value: string])[]
type TokenConstructor = new (type: string, tag: string, nesting: -1 | 0 | 1) => Token

/** Makes tokens as markdown-it's rules do. */
export class TokenFactory {
  readonly #token: TokenConstructor

  /** @param token - as a state of markdown-it has it */
  constructor(token: TokenConstructor) {
    this.#token = token
  }

  /** A tag that stands on a line of its own. */
  block(name: string, nesting: 1 | -1, attributes: Attributes = []): Token {
    return Object.assign(this.tag(name, nesting, attributes), { block: true })
  }

  /** A tag within a line. */
  tag(name: string, nesting: 1 | -1, attributes: Attributes = []): Token {
    return Object.assign(new this.#token(`made_${name}`, name, nesting), { attrs: [...attributes] })
  }

  text(content: string): Token {
    return Object.assign(new this.#token('text', '', 0), { content })
  }

  /** What a block holds. */
  inline(children: Token[]): Token {
    return Object.assign(new this.#token('inline', '', 0), { children, block: true })
  }
}
