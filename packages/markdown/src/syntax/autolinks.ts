import type { MarkdownIt, StateCore, StateInline, Token } from 'markdown-it'
import {
  bareAddressAt,
  bareAddressUrl,
  beginsWithWww,
  mailAddressAt,
  mailAddressUrl,
} from '../grammar/bare-addresses.ts'

type TokenClass = StateCore['Token']

const colon = 0x3a
const lowerW = 0x77
const autolink = { markup: 'linkify', info: 'auto' }

/**
 * Converts bare addresses to links, like GFM. The text of a link is the unchanged address. If its
 * percent escapes were decoded, the text could show a different host than the host of the link.
 *
 * @see https://github.github.com/gfm/#autolinks-extension-
 */
export function addAutolinks(parser: MarkdownIt): void {
  parser.normalizeLinkText = (url) => url
  stopTextAtWww(parser)
  parser.inline.ruler.at('linkify', readAddress)
  parser.core.ruler.at('linkify', linkMailAddresses)
}

// Replaces the rule "text" of markdown-it. The new rule also ends a text before `www.`.
function stopTextAtWww(parser: MarkdownIt): void {
  const [stock] = parser.inline.ruler.getRules('')
  if (stock === undefined) throw new TypeError('markdown-it has no rule "text".')
  const isStop = Array.from({ length: 128 }, (_, code) => {
    return !stock(new parser.inline.State(String.fromCharCode(code), parser, {}, []), true)
  })
  parser.inline.ruler.at('text', (state, silent) => {
    const { src, pos: start, posMax } = state
    let pos = start
    for (; pos < posMax; pos++) {
      const code = src.charCodeAt(pos)
      if (isStop[code] === true || ((code | 0x20) === lowerW && beginsWithWww(src, pos))) break
    }
    if (pos === start) return false
    if (!silent) state.pending += src.slice(start, pos)
    state.pos = pos
    return true
  })
}

// Reads an address. In silent mode, only skips it, so that its characters do not end a link text.
function readAddress(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax, md } = state
  const code = src.charCodeAt(pos)
  if (code !== colon && (code | 0x20) !== lowerW) return false
  const address = bareAddressAt(src, pos, posMax)
  if (address === null) return false
  const scheme = src.slice(address.start, pos)
  if (!silent) {
    const text = src.slice(address.start, address.end)
    const href = state.linkLevel > 0 ? null : md.normalizeLink(bareAddressUrl(text))
    // An address inside the text of a link stays text.
    if (href === null || !md.validateLink(href)) state.pending += src.slice(pos, address.end)
    else {
      if (!state.pending.endsWith(scheme)) return false
      state.pending = state.pending.slice(0, state.pending.length - scheme.length)
      Object.assign(state.push('link_open', 'a', 1), { attrs: [['href', href]], ...autolink })
      state.push('text', '', 0).content = text
      Object.assign(state.push('link_close', 'a', -1), autolink)
    }
  }
  state.pos = address.end
  return true
}

// Runs after all inline rules, so that `_a@b.example_` is emphasis. Addresses can contain `_`.
function linkMailAddresses({ tokens, md, Token }: StateCore): void {
  for (const token of tokens) {
    if (token.type !== 'inline' || token.children === null || !token.content.includes('@')) continue
    token.children = withMailLinks(token.children, md, Token)
  }
}

function withMailLinks(tokens: readonly Token[], md: MarkdownIt, Token: TokenClass): Token[] {
  const linked: Token[] = []
  let links = 0
  tokens.forEach((token, index) => {
    links = Math.max(0, links + linkNesting(token))
    if (links > 0 || token.type !== 'text' || !token.content.includes('@')) linked.push(token)
    // In `a\_b@c.example`, the address begins before the escape, so `b@c.example` is not linked.
    else linked.push(...splitText(token, tokens[index - 1]?.type === 'text_special', md, Token))
  })
  return linked
}

function linkNesting({ type, content }: Token): number {
  if (type === 'link_open' || (type === 'html_inline' && /^<a[\s>]/i.test(content))) return 1
  return type === 'link_close' || (type === 'html_inline' && /^<\/a\s*>/i.test(content)) ? -1 : 0
}

function splitText(
  { content, level }: Token,
  isBehindEscape: boolean,
  md: MarkdownIt,
  Token: TokenClass,
): Token[] {
  const parts: Token[] = []
  const push = (type: string, tag: string, nesting: -1 | 0 | 1, fields: Partial<Token>) => {
    parts.push(Object.assign(new Token(type, tag, nesting), { level, ...fields }))
  }
  let copied = 0
  for (let at = content.indexOf('@'); at !== -1; at = content.indexOf('@', at + 1)) {
    const address = mailAddressAt(content, at)
    if (address === null || (isBehindEscape && address.start === 0)) continue
    const text = content.slice(address.start, address.end)
    const href = md.normalizeLink(mailAddressUrl(text))
    if (!md.validateLink(href)) continue
    if (address.start > copied)
      push('text', '', 0, { content: content.slice(copied, address.start) })
    push('link_open', 'a', 1, { attrs: [['href', href]], ...autolink })
    push('text', '', 0, { content: text, level: level + 1 })
    push('link_close', 'a', -1, autolink)
    copied = address.end
  }
  if (copied < content.length) push('text', '', 0, { content: content.slice(copied) })
  return parts
}
