import type { RenderOptions } from '../options/renderer-options.ts'

/**
 * What turns the markdown of a field into HTML. An application's own renderer extends it; whatever `render` returns is
 * put into pages without a further check, so an own renderer answers for the safety of its output.
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
   * Gives the HTML of a markdown text, synchronously.
   *
   * @param markdown - the text as its author wrote it: hostile
   * @param options - of this call; a renderer that gives no ids can do without them
   */
  abstract render(markdown: string, options?: RenderOptions): string
}
