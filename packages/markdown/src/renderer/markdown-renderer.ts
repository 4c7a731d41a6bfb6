import { Engine } from '../engine/engine.ts'
import { checkText } from '../engine/source.ts'
import { type PreviewOptions, toPreviewOptions } from '../options/preview-options.ts'
import type { MarkdownRendererOptions, RenderOptions } from '../options/renderer-options.ts'
import { BaseRenderer } from './base-renderer.ts'
import { joinHtml, type RenderedDocument, toRenderedDocument } from './rendered-document.ts'
import { versionOf } from './version.ts'

/**
 * Turns hostile markdown into HTML that is safe in any page, on servers and in browsers alike: CommonMark with tables,
 * strikethrough, task lists, autolinks, footnotes, alerts, `==mark==`, `^sup^`, `~sub~`, heading ids, players of known
 * sites, highlighted code and a subset of HTML. It keeps no state between calls and can be shared.
 *
 * @example
 * import MarkdownIt from 'markdown-it'
 * const renderer = new MarkdownRenderer({ markdownIt: MarkdownIt })
 * renderer.render('[x](javascript:alert(1))')   // '<p><a>x</a></p>'
 */
export class MarkdownRenderer extends BaseRenderer {
  /** Its options that a preview in the browser needs, and that JSON can hold; without those that are the defaults. */
  readonly previewOptions: PreviewOptions
  /** Whether it has plugins: functions, which a preview in the browser does not get from the server. */
  readonly hasPlugins: boolean
  readonly #engine: Engine
  readonly #version: string

  /**
   * @param options - what to allow, and the parser
   * @throws TypeError that names the option that cannot be, or what of the policy is not safe
   */
  constructor(options: MarkdownRendererOptions = {}) {
    super()
    this.#engine = new Engine(options)
    this.#version = versionOf(this.#engine.fingerprint)
    this.previewOptions = toPreviewOptions(options)
    this.hasPlugins = (options.plugins?.length ?? 0) > 0
  }

  /**
   * Changes when the same text may give other HTML: with a release that renders otherwise, and with other options. Of
   * functions (plugins, `highlight`, `onMedium`) it only says whether they are there, and how many. A cache of HTML can keep
   * it beside each entry.
   */
  get version(): string {
    return this.#version
  }

  /**
   * Gives the safe HTML of a text: balanced, with nothing that the policy does not list. NUL and lone surrogates
   * become U+FFFD. A text longer than `maxLength`, or one that would grow too large, comes escaped with its line breaks
   * kept; of one beyond 64 Mi units the rest is cut.
   *
   * @param markdown - any string
   * @throws TypeError when it is not a string, or the scope is no plain name; no text makes it throw. What functions of the
   * options throw (`plugins`, `highlight`, `onMedium`, `onFinding`) comes through
   */
  override render(markdown: string, options?: RenderOptions): string {
    return joinHtml(this.#engine.open(options)(checkText('render', markdown)))
  }

  /**
   * Gives the HTML of a text as {@link MarkdownRenderer.render} does, with all that the renderer learned on the way.
   *
   * @param markdown - any string
   * @throws TypeError when it is not a string, or the scope is no plain name; no text makes it throw. What functions of the
   * options throw (`plugins`, `highlight`, `onMedium`, `onFinding`) comes through
   * @example renderer.renderDocument('# A').headings // [{ level: 1, id: 'user-content-a', text: 'A', line: 0 }]
   */
  renderDocument(markdown: string, options?: RenderOptions): RenderedDocument {
    return toRenderedDocument(
      this.#engine.open(options)(checkText('renderDocument', markdown)),
      this.version,
    )
  }
}
