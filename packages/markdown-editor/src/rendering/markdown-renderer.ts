import { BaseRenderer } from './base-renderer.ts'
import { checkPolicy } from './check-policy.ts'
import { toEmbedHosts } from './embeds.ts'
import { escapeHtml } from './escape-html.ts'
import type { MarkdownItConstructor } from './markdown-it-like.ts'
import { nestElements } from './nest-elements.ts'
import { createParser } from './parser.ts'
import { defaultPolicy, type RenderPolicy } from './policy.ts'
import { createSanitizer } from './sanitize.ts'

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
}

/**
 * Turns hostile markdown into HTML that is safe in any page, on servers and in browsers alike: CommonMark with tables,
 * strikethrough, task lists, autolinks, footnotes, `==mark==`, `^sup^`, `~sub~`, heading ids and a subset of HTML.
 * It keeps no state between calls and can be shared.
 *
 * @example
 * import MarkdownIt from 'markdown-it'
 * const renderer = new MarkdownRenderer({ markdownIt: MarkdownIt })
 * renderer.render('[x](javascript:alert(1))')   // '<p><a>x</a></p>'
 */
export class MarkdownRenderer extends BaseRenderer {
  readonly #toHtml: (markdown: string) => string

  /**
   * @param options - what to allow, and the parser
   * @throws TypeError when the policy or an embed host is not safe
   */
  constructor({ markdownIt = null, policy = defaultPolicy, embedHosts }: MarkdownRendererOptions = {}) {
    super()
    checkPolicy(policy)
    const active = embedHosts === undefined ? policy : { ...policy, embeds: toEmbedHosts(embedHosts) }
    this.#toHtml = markdownIt === null ? escapeLines : createPipeline(markdownIt, active)
  }

  /**
   * Gives the safe HTML of a text: balanced, with nothing that the policy does not list. NUL and lone surrogates
   * become U+FFFD.
   *
   * @param markdown - any string
   * @throws TypeError when it is not a string; nothing else
   */
  override render(markdown: string): string {
    if (typeof markdown !== 'string') {
      throw new TypeError(`render: "markdown" must be a string, not ${markdown === null ? 'null' : typeof markdown}.`)
    }
    return this.#toHtml(markdown.toWellFormed().replaceAll('\0', '\uFFFD'))
  }
}

function createPipeline(markdownIt: MarkdownItConstructor, policy: RenderPolicy): (markdown: string) => string {
  const parse = createParser(markdownIt, policy)
  const sanitize = createSanitizer(policy)
  return (markdown) => dropEmptyParagraphs(nestElements(sanitize(parse(markdown)), policy)).trim()
}

// Left where a paragraph held nothing but what was taken out.
function dropEmptyParagraphs(html: string): string {
  return html.replace(/<p>[ \n]*<\/p>\n?/g, '')
}

function escapeLines(text: string): string {
  return escapeHtml(text).replace(/\r\n?|\n/g, '<br>\n')
}
