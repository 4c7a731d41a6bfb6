import type { MarkdownIt, Token } from 'markdown-it'
import { toEmbed } from '../embeds/frame.ts'
import type { EmbedHost } from '../policy/policy.ts'

/**
 * Replaces the address of a video or a pen with its player, if the address is alone on a line. In
 * the first line of a list item or footnote, an address usually names a source and stays a link.
 */
export function addEmbedLines(parser: MarkdownIt, embeds: readonly EmbedHost[]): void {
  parser.core.ruler.after('linkify', 'embed_lines', ({ tokens, Token: TokenClass }) => {
    const toFrame = (address: string): Token | null => {
      const attributes = toEmbed(address, { embeds })
      if (attributes === null) return null
      const frame = new TokenClass('embed', 'iframe', 0)
      frame.attrs = Object.entries(attributes)
      return frame
    }
    tokens.forEach((token, index) => {
      if (token.children === null || tokens[index - 1]?.type !== 'paragraph_open') return
      const isBehindMarker = /^(list_item|footnote)_open$/.test(tokens[index - 2]?.type ?? '')
      token.children = replaceLines(token.children, isBehindMarker, toFrame)
    })
  })
}

function replaceLines(
  children: Token[],
  isBehindMarker: boolean,
  toFrame: (address: string) => Token | null,
): Token[] {
  const replaced: Token[] = []
  for (let index = 0; index < children.length; index++) {
    const child = children[index] as Token
    const beginsLine = index === 0 ? !isBehindMarker : isBreak(children[index - 1])
    const rest = underscores(children[index + 3])
    const next = index + (rest === '' ? 3 : 4)
    const isAlone =
      beginsLine && isAutolink(child) && (next === children.length || isBreak(children[next]))
    const frame = isAlone ? toFrame(`${String(child.attrGet('href'))}${rest}`) : null
    replaced.push(frame ?? child)
    if (frame === null) continue
    // If a frame is not allowed here, `TokenWriter` writes these tokens instead.
    frame.children = children.slice(index, next)
    index = next - 1
  }
  return replaced
}

// Returns the underscores after an address. They can belong to the id of a video, but in GFM an
// address does not end with underscores.
function underscores(token: Token | undefined): string {
  return token?.type === 'text' && /^_+$/.test(token.content) ? token.content : ''
}

function isAutolink({ type, info, level }: Token): boolean {
  return type === 'link_open' && info === 'auto' && level === 0
}

/** Returns true if a token is a line break. */
export function isBreak(token: Token | undefined): boolean {
  return token?.type === 'softbreak' || token?.type === 'hardbreak'
}
