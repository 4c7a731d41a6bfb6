import type { AlertTitles } from '../grammar/alert-kinds.ts'
import type { MarkdownItConstructor } from '../grammar/markdown-it-like.ts'
import type { Highlight } from '../highlighting/highlighter.ts'
import type { RenderPolicy } from '../policy/policy.ts'
import type { OnFinding } from '../verification/verify-html.ts'
import type { OnMedium } from '../writing/collector.ts'

/** Options of {@link MarkdownRenderer}. */
export interface MarkdownRendererOptions {
  /**
   * The class that `markdown-it` exports. Without it, texts are escaped and keep their line breaks.
   *
   * @default null
   */
  readonly markdownIt?: MarkdownItConstructor | null
  /**
   * The elements and attributes that rendered HTML may contain.
   *
   * @default defaultPolicy
   */
  readonly policy?: RenderPolicy
  /**
   * The full names of hosts whose pages may be framed. They replace the hosts of the policy.
   *
   * @default YouTube, Vimeo and CodePen
   */
  readonly embedHosts?: readonly string[]
  /**
   * Highlights code. See `createHighlighter`. Code blocks of more than 8,000 UTF-16 units are not
   * highlighted. In one document, at most 50,000 units of code are highlighted.
   *
   * @default none
   */
  readonly highlight?: Highlight | null
  /**
   * The titles of alerts. If a title is missing, the English title is used.
   *
   * @default Note, Tip, Important, Warning, Caution
   */
  readonly alertTitles?: AlertTitles
  /**
   * Called for each medium before it is written. The function may change the URL and attributes,
   * for example for a CDN, signed URLs, lazy loading, or known sizes. The policy must allow the
   * result.
   *
   * @example onMedium: ({ element, url }) => (element === 'img' ? { url: cdn(url), loading: 'lazy' } : undefined)
   */
  readonly onMedium?: OnMedium
  /**
   * Called for each problem that the verifier finds in rendered HTML. The cause is always a bug of
   * the renderer or of `highlight`, never the text. The page renders the block up to the
   * problem, and shows the rest of its HTML as text.
   *
   * @example onFinding: ({ reason, html }) => logger.error(reason, { html })
   */
  readonly onFinding?: OnFinding
  /**
   * The longest text that is parsed, in UTF-16 units. A longer text is escaped and keeps its line
   * breaks. Rendering blocks the process: a hostile text of the default length takes one or two
   * seconds.
   *
   * @default 262144
   */
  readonly maxLength?: number
}

/** Options of one call of `render`. */
export interface RenderOptions {
  /**
   * A name for the text: 1 to 100 letters, digits, `_` and `-`. Two texts on the same page need
   * different scopes. Otherwise, their headings and footnotes could have the same ids.
   *
   * @example renderer.render(comment.text, { scope: `comment-${comment.id}` })
   */
  readonly scope?: string
}
