import type { RenderOptions } from '../engine/renderer-options.ts'

/**
 * The base class of renderers. A renderer converts the Markdown of a field to HTML. Applications
 * can extend this class. Pages contain the result of `render` without further checks, so the
 * renderer must return safe HTML.
 *
 * @example
 * class PlainRenderer extends BaseRenderer {
 *   override render(markdown: string): string {
 *     return `<pre>${escapeHtml(markdown)}</pre>`
 *   }
 * }
 */
export abstract class BaseRenderer {
  /**
   * Renders a Markdown text synchronously.
   *
   * @param markdown - the text of an author who is not trusted
   * @param options - a renderer can ignore the options if it writes no ids
   */
  abstract render(markdown: string, options?: RenderOptions): string
}
