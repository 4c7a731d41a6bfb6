import { BaseRenderer } from './base-renderer.ts'
import { toEmbedHosts } from './embeds/embed-hosts.ts'
import { escapeHtml } from './escape-html.ts'
import type { MarkdownItConstructor } from './markdown-it-like.ts'
import { nestElements } from './nest-elements.ts'
import { createParser } from './parser.ts'
import { checkPolicy } from './policy/check-policy.ts'
import { defaultPolicy } from './policy/default-policy.ts'
import type { RenderPolicy } from './policy/policy.ts'
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
  /**
   * The longest text that is read as markdown, in UTF-16 units; a longer one is escaped, with its line breaks kept.
   * Rendering blocks the process: a text of the default length that is made to be slow takes a second or two.
   *
   * @default 262144
   */
  readonly maxLength?: number
}

const defaultMaxLength = 256 * 1024

// A last net, above all that the parser's own limits let through (about 30 times the text; tables add up to 2 MB).
const maxGrowth = 64
const freeGrowth = 4 * 1024 * 1024

// Escaped, a text of this length is still shorter than the longest string of any engine (2 ** 29 - 24).
const maxEscaped = 64 * 1024 * 1024

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
   * @throws TypeError when the policy or an embed host is not safe, or `maxLength` is no positive number
   */
  constructor(options: MarkdownRendererOptions = {}) {
    super()
    const { markdownIt = null, policy = defaultPolicy, embedHosts, maxLength = defaultMaxLength } = options
    checkPolicy(policy)
    if (!(maxLength > 0)) throw new TypeError('The option "maxLength" must be a positive number.')
    const active = embedHosts === undefined ? policy : { ...policy, embeds: toEmbedHosts(embedHosts) }
    this.#toHtml = markdownIt === null ? escapeLines : createPipeline(markdownIt, active, maxLength)
  }

  /**
   * Gives the safe HTML of a text: balanced, with nothing that the policy does not list. NUL and lone surrogates
   * become U+FFFD. A text longer than `maxLength`, or one that would grow too large, comes escaped with its line breaks
   * kept; of one beyond 64 Mi units the rest is cut.
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

function createPipeline(
  markdownIt: MarkdownItConstructor,
  policy: RenderPolicy,
  maxLength: number,
): (markdown: string) => string {
  const parse = createParser(markdownIt, policy)
  const sanitize = createSanitizer(policy)
  const toHtml = (markdown: string): string | null => {
    const most = freeGrowth + maxGrowth * markdown.length
    const parsed = parse(markdown)
    if (parsed.length > most) return null
    const html = dropEmptyParagraphs(nestElements(sanitize(parsed), policy)).trim()
    return html.length > most ? null : html
  }
  return (markdown) => {
    if (markdown.length > maxLength) return escapeLines(markdown)
    try {
      return toHtml(markdown) ?? escapeLines(markdown)
    } catch (error) {
      if (error instanceof RangeError) return escapeLines(markdown) // No room: for a string, or on the stack.
      throw error
    }
  }
}

// Left where a paragraph held nothing but what was taken out.
function dropEmptyParagraphs(html: string): string {
  return html.replace(/<p>[ \n]*<\/p>\n?/g, '')
}

function escapeLines(text: string): string {
  const shown = text.length > maxEscaped ? `${text.slice(0, maxEscaped)}…` : text
  return escapeHtml(shown).replace(/\r\n?|\n/g, '<br>\n')
}
