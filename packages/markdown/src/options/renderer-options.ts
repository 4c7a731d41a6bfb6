import type { AlertTitles } from '../grammar/alert-kinds.ts'
import type { MarkdownItConstructor, MarkdownItPlugin } from '../grammar/markdown-it-like.ts'
import type { Highlight } from '../highlighting/highlighter.ts'
import type { RenderPolicy } from '../policy/policy.ts'
import type { OnFinding } from '../verification/verify-html.ts'
import type { OnMedium } from '../writing/collector.ts'

/**
 * Options of {@link MarkdownRenderer}.
 */
export interface MarkdownRendererOptions {
  /**
   * The class that `markdown-it` exports. Without it texts are escaped, with their line breaks kept.
   *
   * @default null
   */
  readonly markdownIt?: MarkdownItConstructor | null
  /**
   * Plugins of markdown-it. What they add must be in the policy too. The preview of the editor needs them as well: see
   * `servePreview`.
   *
   * @default none
   */
  readonly plugins?: readonly MarkdownItPlugin[]
  /**
   * What rendered HTML may contain.
   *
   * @default defaultPolicy
   */
  readonly policy?: RenderPolicy
  /**
   * Host names, in full, whose pages may be framed; they replace the policy's.
   *
   * @default YouTube, Vimeo and CodePen
   */
  readonly embedHosts?: readonly string[]
  /**
   * Highlights code; see `createHighlighter`. Code of more than 8,000 UTF-16 units stays plain, and all
   * after the first 50,000 of a document.
   *
   * @default none
   */
  readonly highlight?: Highlight | null
  /**
   * What readers see in place of the markers of alerts. A kind that is left out keeps its title.
   *
   * @default Note, Tip, Important, Warning, Caution
   */
  readonly alertTitles?: AlertTitles
  /**
   * Hears of each medium before it is written and may change its URL and attributes: for a CDN, signed URLs, lazy
   * loading, known sizes. Its result must still pass the policy.
   *
   * @example onMedium: ({ element, url }) => (element === 'img' ? { url: cdn(url), loading: 'lazy' } : undefined)
   */
  readonly onMedium?: OnMedium
  /**
   * Hears of what the second layer finds in finished HTML. That is never a text's doing but a fault of the renderer, or of
   * `highlight`: the page shows the rest of these blocks as text.
   *
   * @example onFinding: ({ reason, html }) => logger.error(reason, { html })
   */
  readonly onFinding?: OnFinding
  /**
   * The longest text that is read as markdown, in UTF-16 units; a longer one is escaped, with its line breaks kept.
   * Rendering blocks the process: a text of the default length that is made to be slow takes a second or two.
   *
   * @default 262144
   */
  readonly maxLength?: number
}

/** Options of one call. */
export interface RenderOptions {
  /**
   * A name for the text, of letters, digits, `_` and `-`, that makes its ids differ from those of other texts on the same
   * page: without it, the footnotes of two comments have the same ids. Texts of two scopes never share an id.
   *
   * @example renderer.render(comment.text, { scope: `comment-${comment.id}` })
   */
  readonly scope?: string
}
