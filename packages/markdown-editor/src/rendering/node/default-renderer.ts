import type { MarkdownItConstructor } from '../markdown-it-like.ts'
import { MarkdownRenderer } from '../markdown-renderer.ts'
import type { MarkdownRendererOptions } from '../renderer-options.ts'
import { findMarkdownIt } from './find-markdown-it.ts'

/**
 * Options of {@link DefaultRenderer}.
 */
export interface DefaultRendererOptions extends MarkdownRendererOptions {
  /**
   * The class that `markdown-it` exports, or null to do without.
   *
   * @default the installed `markdown-it`, if there is one
   */
  readonly markdownIt?: MarkdownItConstructor | null
}

/**
 * {@link MarkdownRenderer} with the optional peer `markdown-it` found by itself.
 *
 * @example
 * new DefaultRenderer().render('**Hello**')   // '<p><strong>Hello</strong></p>'
 */
export class DefaultRenderer extends MarkdownRenderer {
  /**
   * @param options - what to allow, and which markdown-it
   * @throws TypeError when the policy or an embed host is not safe, or `maxLength` is no positive number
   */
  constructor(options: DefaultRendererOptions = {}) {
    super({ ...options, markdownIt: options.markdownIt === undefined ? findMarkdownIt() : options.markdownIt })
  }
}
