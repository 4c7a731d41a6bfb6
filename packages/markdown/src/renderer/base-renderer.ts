import type { RenderOptions } from '../engine/renderer-options.ts'

/**
 * The base class of renderers, which turn the Markdown of a field into HTML. An application can
 * extend it. The result of `render` is put into pages without further checks, so the renderer must
 * make it safe.
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
   * @param options - a renderer that writes no ids can ignore the options
   */
  abstract render(markdown: string, options?: RenderOptions): string
}
