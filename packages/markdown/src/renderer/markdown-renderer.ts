import { Engine } from '../engine/engine.ts'
import type { MarkdownRendererOptions, RenderOptions } from '../engine/renderer-options.ts'
import { checkText } from '../engine/source.ts'
import { defaultPolicy } from '../policy/default-policy.ts'
import { BaseRenderer } from './base-renderer.ts'
import { joinHtml, type RenderedDocument, toRenderedDocument } from './rendered-document.ts'

/** The options of a renderer that the server can send to a preview in the browser as JSON. */
export interface PreviewOptions
  extends Pick<MarkdownRendererOptions, 'policy' | 'embedHosts' | 'alertTitles' | 'maxLength'> {
  /** Null if the renderer has no parser. Texts are then escaped. */
  readonly markdownIt?: null
}

/**
 * Converts Markdown to HTML that is safe in any page, even if the author is not trusted. Runs on
 * servers and in browsers. The syntax is CommonMark with tables, strikethrough, task lists,
 * autolinks, footnotes, alerts, `==mark==`, `^sup^`, `~sub~`, heading ids, players of known sites,
 * highlighted code and a subset of HTML. A renderer has no state between calls and can be shared.
 *
 * @example
 * import MarkdownIt from 'markdown-it'
 * const renderer = new MarkdownRenderer({ markdownIt: MarkdownIt })
 * renderer.render('[x](javascript:alert(1))')   // '<p><a>x</a></p>'
 */
export class MarkdownRenderer extends BaseRenderer {
  /** The options that differ from the defaults, for a preview. */
  readonly previewOptions: PreviewOptions
  readonly #engine: Engine

  /** @throws TypeError that names the invalid option, or the unsafe entry of the policy */
  constructor(options: MarkdownRendererOptions = {}) {
    super()
    this.#engine = new Engine(options)
    this.previewOptions = toPreviewOptions(options)
  }

  /**
   * Returns the safe HTML of a text. NUL and lone surrogates become U+FFFD. If the text is longer
   * than `maxLength`, or if its HTML would be too large, returns the escaped text with line breaks.
   *
   * @param markdown - any string; the content of the string never causes an error
   * @throws TypeError if `markdown` is not a string, or if the scope is invalid
   * @throws errors of the functions in the options (`highlight`, `onMedium`, `onFinding`)
   */
  override render(markdown: string, options?: RenderOptions): string {
    return joinHtml(this.#engine.open(options)(checkText('render', markdown)))
  }

  /**
   * Returns the HTML of a text like {@link MarkdownRenderer.render}, with its headings and media.
   *
   * @throws the same errors as `render`
   * @example renderer.renderDocument('# A').headings // [{ level: 1, id: 'user-content-a', text: 'A', line: 0 }]
   */
  renderDocument(markdown: string, options?: RenderOptions): RenderedDocument {
    return toRenderedDocument(this.#engine.open(options)(checkText('renderDocument', markdown)))
  }
}

function toPreviewOptions({
  policy = defaultPolicy,
  embedHosts,
  alertTitles,
  maxLength,
  markdownIt = null,
}: MarkdownRendererOptions): PreviewOptions {
  return {
    ...(policy === defaultPolicy ? {} : { policy }),
    ...(embedHosts === undefined ? {} : { embedHosts }),
    ...(alertTitles === undefined ? {} : { alertTitles }),
    ...(markdownIt === null ? { markdownIt } : {}),
    // Replaces Infinity, because JSON does not have this number.
    ...(maxLength === undefined ? {} : { maxLength: Math.min(maxLength, Number.MAX_SAFE_INTEGER) }),
  }
}
