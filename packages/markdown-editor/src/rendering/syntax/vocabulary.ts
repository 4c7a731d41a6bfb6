import type { MarkdownIt } from 'markdown-it'

/**
 * Writes `~~text~~` as `<del>`, as GitHub does, not as `<s>`.
 */
export function useDel(parser: MarkdownIt): void {
  parser.renderer.rules['s_open'] = () => '<del>'
  parser.renderer.rules['s_close'] = () => '</del>'
}

/**
 * Writes the alignment of table columns as `align` attributes: no style attribute ever leaves the renderer.
 */
export function useAlignAttributes(parser: MarkdownIt): void {
  parser.core.ruler.push('align_attributes', ({ tokens }) => {
    for (const token of tokens) {
      if (token.type !== 'th_open' && token.type !== 'td_open') continue
      const style = token.attrGet('style')
      if (style !== null) token.attrs = [['align', String(style).replace('text-align:', '')]]
    }
  })
}
