import type { MarkdownIt, StateCore, Token } from 'markdown-it'
import {
  type AlertKind,
  type AlertTitles,
  alertKinds,
  englishTitles,
} from '../grammar/alert-kinds.ts'
import { isBreak } from './embed-lines.ts'

const marker = new RegExp(`^\\[!(${alertKinds.join('|')})\\][ \\t]*$`, 'i')

/**
 * Adds alerts as on GitHub. An alert is a top-level quote whose first line is a marker such as
 * `[!NOTE]`, with content after this line.
 *
 * @see
 * https://docs.github.com/en/get-started/writing-on-github/getting-started-with-writing-and-formatting-on-github/basic-writing-and-formatting-syntax#alerts
 */
export function addAlerts(parser: MarkdownIt, titles: AlertTitles = {}): void {
  parser.core.ruler.after('inline', 'alerts', (state) => {
    const tokens: Token[] = []
    let isAlert = false
    for (let index = 0; index < state.tokens.length; index++) {
      const token = state.tokens[index] as Token
      tokens.push(token)
      if (token.level > 0) continue
      if (token.type === 'blockquote_close' && isAlert)
        Object.assign(token, { type: 'alert_close', tag: 'div' })
      if (token.type !== 'blockquote_open') continue
      const kind = kindOf(state.tokens, index)
      isAlert = kind !== null
      if (kind === null) continue
      Object.assign(token, { type: 'alert_open', tag: 'div' })
      token.attrJoin('class', `markdown-alert markdown-alert-${kind}`)
      tokens.push(...toTitle(state, index, titles[kind] ?? englishTitles[kind]))
      index += removeMarker(state.tokens, index)
    }
    state.tokens = tokens
  })
}

function kindOf(tokens: readonly Token[], index: number): AlertKind | null {
  const [paragraph, inline, , next] = tokens.slice(index + 1, index + 5)
  const [text, lineBreak] = inline?.children ?? []
  // The marker is a link, not text, if the document defines a link with this label.
  const kind = text?.type === 'text' ? marker.exec(text.content)?.[1] : undefined
  if (paragraph?.type !== 'paragraph_open' || kind === undefined) return null
  const hasContent =
    lineBreak === undefined ? next?.type !== 'blockquote_close' : isBreak(lineBreak)
  return hasContent ? (kind.toLowerCase() as AlertKind) : null
}

function toTitle({ tokens, Token: TokenClass }: StateCore, index: number, title: string): Token[] {
  const line = tokens[index + 1]?.map?.[0]
  const map: Token['map'] = line === undefined ? null : [line, line + 1]
  const open = new TokenClass('alert_title_open', 'p', 1)
  open.attrSet('class', 'markdown-alert-title')
  const text = new TokenClass('text', '', 0)
  const inline = new TokenClass('inline', '', 0)
  const close = new TokenClass('alert_title_close', 'p', -1)
  text.content = title
  Object.assign(open, { map, level: 1, block: true })
  Object.assign(inline, { map, level: 2, content: title, children: [text] })
  Object.assign(close, { level: 1, block: true })
  return [open, inline, close]
}

// Removes the marker. Returns the number of tokens that the caller must skip: the whole paragraph
// if it contains only the marker, otherwise 0.
function removeMarker(tokens: readonly Token[], index: number): number {
  const [paragraph, inline] = tokens.slice(index + 1, index + 3)
  if (inline?.children == null || inline.children.length === 1) return 3
  inline.children = inline.children.slice(2)
  inline.content = inline.content.slice(inline.content.indexOf('\n') + 1)
  for (const token of [paragraph, inline])
    if (token?.map != null) token.map = [token.map[0] + 1, token.map[1]]
  return 0
}
