import type { MarkdownIt, StateCore, Token } from 'markdown-it'
import {
  type AlertKind,
  type AlertTitles,
  alertKinds,
  englishTitles,
} from '../grammar/alert-kinds.ts'

const marker = new RegExp(`^\\[!(${alertKinds.join('|')})\\][ \\t]*$`, 'i')

/**
 * Reads quotes that begin with a line `[!NOTE]` as alerts, as GitHub does: the marker in any case and alone on its
 * line, something after it, and the quote neither in another quote nor in a list.
 *
 * @param titles - what readers see in place of the markers: plain text; English ones for kinds without
 * @see https://docs.github.com/en/get-started/writing-on-github/getting-started-with-writing-and-formatting-on-github/basic-writing-and-formatting-syntax#alerts
 */
export function addAlerts(parser: MarkdownIt, titles: AlertTitles = {}): void {
  parser.core.ruler.after('inline', 'alerts', (state) => {
    const tokens: Token[] = []
    let isAlert = false
    let skipped = 0
    state.tokens.forEach((token, index) => {
      if (skipped > 0) {
        skipped--
        return
      }
      tokens.push(token)
      if (token.level > 0) return
      if (token.type === 'blockquote_close' && isAlert)
        Object.assign(token, { type: 'alert_close', tag: 'div' })
      if (token.type !== 'blockquote_open') return
      const kind = kindOf(state.tokens, index)
      isAlert = kind !== null
      if (kind === null) return
      Object.assign(token, { type: 'alert_open', tag: 'div' })
      token.attrJoin('class', `markdown-alert markdown-alert-${kind}`)
      tokens.push(...toTitle(state, index, titles[kind] ?? englishTitles[kind]))
      skipped = takeMarker(state.tokens, index)
    })
    state.tokens = tokens
  })
}

// What the quote at `index` alerts of; null when it is only a quote.
function kindOf(tokens: readonly Token[], index: number): AlertKind | null {
  const [paragraph, inline, , next] = tokens.slice(index + 1, index + 5)
  const [text, lineBreak] = inline?.children ?? []
  // The marker is a link when the text has a definition of that label.
  const kind = text?.type === 'text' ? marker.exec(text.content)?.[1] : undefined
  if (paragraph?.type !== 'paragraph_open' || kind === undefined) return null
  const hasContent =
    lineBreak === undefined ? next?.type !== 'blockquote_close' : isBreak(lineBreak)
  return hasContent ? (kind.toLowerCase() as AlertKind) : null
}

function isBreak({ type }: Token): boolean {
  return type === 'softbreak' || type === 'hardbreak'
}

function toTitle({ tokens, Token: TokenClass }: StateCore, index: number, title: string): Token[] {
  const line = tokens[index + 1]?.map?.[0]
  const map: Token['map'] = line === undefined ? null : [line, line + 1]
  const open = Object.assign(new TokenClass('alert_title_open', 'p', 1), {
    map,
    level: 1,
    block: true,
  })
  open.attrSet('class', 'markdown-alert-title')
  const text = Object.assign(new TokenClass('text', '', 0), { content: title })
  const inline = Object.assign(new TokenClass('inline', '', 0), {
    map,
    level: 2,
    content: title,
    children: [text],
  })
  const close = Object.assign(new TokenClass('alert_title_close', 'p', -1), {
    level: 1,
    block: true,
  })
  return [open, inline, close]
}

// Takes the line of the marker from the alert at `index`. Gives how many tokens after it are to be left out: those of
// the paragraph, when the marker was all of it.
function takeMarker(tokens: readonly Token[], index: number): number {
  const [paragraph, inline] = tokens.slice(index + 1, index + 3)
  if (inline?.children == null || inline.children.length === 1) return 3
  inline.children = inline.children.slice(2)
  inline.content = inline.content.slice(inline.content.indexOf('\n') + 1)
  for (const token of [paragraph, inline])
    if (token?.map != null) token.map = [token.map[0] + 1, token.map[1]]
  return 0
}
