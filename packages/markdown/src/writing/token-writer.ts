import type { MarkdownIt, RendererRule, Token } from 'markdown-it'
import type { DocumentState, Footnote } from '../document/document-state.ts'
import { documentOf, type Environment } from '../document/environment.ts'
import { escapeHtml } from '../grammar/escape-html.ts'
import type { AttributeList } from '../grammar/scan-html.ts'
import { isTag, type Piece, scanHtml } from '../grammar/scan-html.ts'
import { cleanMarkup, maxOpenSpans } from '../highlighting/clean-markup.ts'
import type { Highlight } from '../highlighting/highlighter.ts'
import { maxHighlightedBlock } from '../highlighting/highlighter.ts'
import { AuthorRun, authorTagOf } from './author-run.ts'
import type { Collector } from './collector.ts'
import { footnoteId, referenceId } from './footnote-ids.ts'
import type { HtmlWriter } from './html-writer.ts'
import { toSlug } from './slug.ts'
import { attributesOfToken, withAlt, withClass } from './token-attributes.ts'
import { breaksLine, findClose, lineBreakBefore } from './token-lines.ts'
import { textOf } from './token-text.ts'

/** What writing tokens takes beside the tokens. */
export interface TokenWriterParts {
  readonly parser: MarkdownIt
  /** Renderer rules of plugins, by token type: their output counts as an author's HTML. */
  readonly pluginRules: ReadonlyMap<string, RendererRule>
  readonly highlight: Highlight | null
  readonly idPrefix: string
}

/**
 * Writes markdown-it's tokens as HTML, with the line breaks of CommonMark's own examples.
 */
export class TokenWriter {
  readonly #parts: TokenWriterParts
  readonly #html: HtmlWriter
  readonly #collector: Collector
  readonly #environment: Environment
  readonly #state: DocumentState

  /**
   * @param collector - hears of headings
   * @param environment - of the inline and core rules that made the tokens: renderer rules may read what those noted
   */
  constructor(
    parts: TokenWriterParts,
    html: HtmlWriter,
    collector: Collector,
    environment: Environment,
  ) {
    this.#parts = parts
    this.#html = html
    this.#collector = collector
    this.#environment = environment
    this.#state = documentOf(environment)
  }

  /** Writes block tokens from `start` up to `end`. */
  blocks(tokens: readonly Token[], start: number = 0, end: number = tokens.length): string {
    let html = ''
    for (let index = start; index < end; index++) {
      const { type, hidden } = tokens[index] as Token
      if (type === 'paragraph_open' && !hidden && !this.#parts.pluginRules.has(type)) {
        const close = findClose(tokens, index)
        html += lineBreakBefore(tokens, index) + this.#paragraph(tokens, index, close)
        index = close
      } else html += this.#block(tokens, index)
    }
    return html
  }

  #block(tokens: readonly Token[], index: number): string {
    const token = tokens[index] as Token
    if (token.type === 'heading_open') return this.#headingStart(tokens, index)
    const rule = this.#parts.pluginRules.get(token.type)
    if (rule !== undefined) return this.#plugin(rule, tokens, index)
    switch (token.type) {
      case 'inline':
        return this.#inline(token.children ?? [])
      case 'fence':
        return this.#fence(token)
      case 'code_block':
        return this.#code(token.attrs, '', token.content)
      case 'html_block':
        return this.#authorBlock(token.content)
      default:
        return this.#tag(tokens, index)
    }
  }

  // A paragraph that is empty because all of it was taken out goes too.
  #paragraph(tokens: readonly Token[], open: number, close: number): string {
    const before = this.#html.endParagraph()
    const startTag = this.#html.open('p', tokens[open]?.attrs ?? null)
    let content = ''
    for (let index = open + 1; index < close; index++) content += this.#block(tokens, index)
    const hasEnded = this.#html.hasEnded
    const endTags = this.#html.close()
    const inner = content.trimStart()
    if (inner === '') return before
    // The author's own block began at once and ended the paragraph: nothing stands in it.
    const isEmpty = hasEnded && startTag !== '' && inner.startsWith('</p>')
    if (isEmpty) return `${before}${inner.slice('</p>'.length)}${endTags}\n`
    return `${before}${startTag}${content}${endTags}\n`
  }

  #tag(tokens: readonly Token[], index: number): string {
    const token = tokens[index] as Token
    if (token.hidden || token.tag === '') return ''
    const before = lineBreakBefore(tokens, index)
    if (token.nesting === -1) return this.#html.close() + (token.block ? '\n' : '')
    // GFM writes <del> for `~~`, markdown-it <s>.
    const name = token.type === 's_open' ? 'del' : token.tag
    const attributes = attributesOfToken(token)
    if (token.nesting === 0)
      return before + this.#html.empty(name, attributes) + (token.block ? '\n' : '')
    return (
      before +
      this.#html.open(name, attributes) +
      (token.block && breaksLine(token, tokens[index + 1]) ? '\n' : '')
    )
  }

  #inline(children: readonly Token[]): string {
    let html = ''
    let run: AuthorRun | null = null
    for (let index = 0; index < children.length; index++) {
      const token = children[index] as Token
      const rule = this.#parts.pluginRules.get(token.type)
      if (rule !== undefined) html += this.#plugin(rule, children, index)
      else if (token.type === 'text') html += escapeHtml(token.content)
      else if (token.type === 'html_inline') {
        run ??= new AuthorRun(children.map(authorTagOf))
        const tag = authorTagOf(token)
        html += tag === null ? '' : this.#html.authorTag(tag)
        const end = run.dropsTo(index)
        html += this.#halves(children, index + 1, end)
        index = end
      } else html += this.#inlineToken(children, index)
    }
    return html
  }

  // Of what is dropped with a script, those tags of Markdown's whose other half is not dropped.
  #halves(tokens: readonly Token[], start: number, end: number): string {
    const opened: number[] = []
    let html = ''
    for (let index = start; index < end; index++) {
      const nesting = tokens[index]?.nesting
      if (nesting === 1) opened.push(index)
      else if (nesting === -1 && opened.pop() === undefined)
        html += this.#inlineToken(tokens, index)
    }
    for (const index of opened) html += this.#inlineToken(tokens, index)
    return html
  }

  #inlineToken(tokens: readonly Token[], index: number): string {
    const token = tokens[index] as Token
    switch (token.type) {
      case 'softbreak':
        return '\n'
      case 'hardbreak':
        return `${this.#html.empty('br')}\n`
      case 'code_inline':
        return this.#html.open('code', token.attrs) + escapeHtml(token.content) + this.#html.close()
      case 'image':
        return this.#html.empty('img', withAlt(token))
      case 'embed':
        return this.#html.hasRoomFor('iframe', 1)
          ? this.#tag(tokens, index)
          : this.#inline(token.children ?? [])
      case 'footnote_reference':
        return this.#footnoteReference(token)
      default:
        return this.#tag(tokens, index)
    }
  }

  #authorBlock(source: string): string {
    const html = this.#author(scanHtml(source))
    return html.trim() === '' ? '' : html
  }

  #author(pieces: readonly Piece[]): string {
    const run = new AuthorRun(pieces.map((piece) => (isTag(piece) ? piece : null)))
    let html = ''
    for (let index = 0; index < pieces.length; index++) {
      const piece = pieces[index] ?? ''
      html += isTag(piece) ? this.#html.authorTag(piece) : escapeHtml(piece)
      index = run.dropsTo(index)
    }
    return html
  }

  #plugin(rule: RendererRule, tokens: readonly Token[], index: number): string {
    const { parser } = this.#parts
    const { nesting, hidden, tag } = tokens[index] as Token
    // Often only one of a pair of rules is a plugin's: the other tag must neither end nor leave open what is around it.
    const isPaired = !hidden && tag !== ''
    if (nesting === 1 && isPaired) this.#html.begin()
    const source = rule(
      tokens as Token[],
      index,
      parser.options,
      this.#environment,
      parser.renderer,
    )
    const html = this.#author(scanHtml(source))
    return nesting === -1 && isPaired ? html + this.#html.close() : html
  }

  #fence(token: Token): string {
    const language = this.#parts.parser.utils.unescapeAll(token.info).trim().split(/\s/, 1)[0] ?? ''
    return this.#code(token.attrs, language, token.content)
  }

  #highlight(code: string, language: string): string | null {
    const { highlight } = this.#parts
    if (highlight === null || language === '' || code.length > maxHighlightedBlock) return null
    if (!this.#html.hasRoomFor('span', maxOpenSpans) || !this.#state.mayHighlight(code.length))
      return null
    const html = highlight(code, language)
    return html === null ? null : cleanMarkup(html, code)
  }

  #code(attributes: AttributeList | null, language: string, code: string): string {
    const marked = language === '' ? attributes : withClass(attributes, `language-${language}`)
    const startTags = this.#html.open('pre') + this.#html.open('code', marked)
    const content = this.#highlight(code, language) ?? escapeHtml(code)
    return `${startTags}${content}${this.#html.close()}${this.#html.close()}\n`
  }

  #headingStart(tokens: readonly Token[], index: number): string {
    const token = tokens[index] as Token
    const text = textOf(tokens[index + 1]?.children ?? []).trim()
    const slug = toSlug(text)
    const id = slug === '' ? null : this.#parts.idPrefix + this.#state.headingId(slug)
    if (id !== null) token.attrSet('id', id)
    this.#html.takeIds()
    const rule = this.#parts.pluginRules.get(token.type)
    const startTag =
      rule === undefined ? this.#tag(tokens, index) : this.#plugin(rule, tokens, index)
    const isNamed = id !== null && this.#html.takeIds().includes(id)
    this.#collector.addHeading({ level: Number(token.tag.slice(1)), id: isNamed ? id : null, text })
    return startTag
  }

  #footnoteReference({ meta }: Token): string {
    const { number, references } = (meta as { footnote: Footnote }).footnote
    const link: AttributeList = [
      ['href', `#${this.#parts.idPrefix}${footnoteId(number)}`],
      ['id', this.#parts.idPrefix + referenceId(number, references)],
    ]
    const startTags =
      this.#html.open('sup', [['class', 'footnote-ref']]) + this.#html.open('a', link)
    return startTags + number + this.#html.close() + this.#html.close()
  }
}
