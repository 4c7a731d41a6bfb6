import type { MarkdownIt, Token } from 'markdown-it'
import type { DocumentState, Footnote } from '../document/document-state.ts'
import { escapeHtml } from '../grammar/escape-html.ts'
import { type AttributeList, isTag, scanHtml } from '../grammar/scan-html.ts'
import { cleanMarkup, maxOpenSpans } from '../highlighting/clean-markup.ts'
import { type Highlight, maxHighlightedBlock } from '../highlighting/highlighter.ts'
import type { CompiledPolicy } from '../policy/compile-policy.ts'
import type { Verifier } from '../verification/verifier.ts'
import type { OnFinding } from '../verification/verify-html.ts'
import { Collector, type OnMedium } from './collector.ts'
import { HtmlWriter } from './html-writer.ts'
import { footnoteId, referenceId, toSlug } from './ids.ts'
import {
  attributesOfToken,
  authorTagOf,
  breaksLine,
  DroppedContent,
  findClose,
  imageAttributes,
  lineBreakBefore,
  textOf,
} from './tokens.ts'

/** The objects that all documents of a renderer share. */
export interface RendererParts {
  readonly parser: MarkdownIt
  readonly highlight: Highlight | null
  readonly policy: CompiledPolicy
  readonly verifier: Verifier
  readonly onMedium: OnMedium | null
  readonly onFinding: OnFinding | null
}

/** A footnote with at least one reference, and its content. */
export interface WrittenFootnote extends Footnote {
  readonly content: readonly Token[]
}

// The maximum number of links from a footnote to its references. More links do not help readers.
const maxBacklinks = 100

/** Writes markdown-it's tokens as HTML, with line breaks as in the examples of CommonMark. */
export class TokenWriter {
  readonly #parts: RendererParts
  readonly #state: DocumentState
  readonly collector: Collector
  readonly html: HtmlWriter
  #footnote: WrittenFootnote | null = null

  constructor(parts: RendererParts, state: DocumentState) {
    this.#parts = parts
    this.#state = state
    this.collector = new Collector(parts.onMedium)
    this.html = new HtmlWriter(parts.policy, this.collector)
  }

  blocks(tokens: readonly Token[]): string {
    let html = ''
    for (let index = 0; index < tokens.length; index++) {
      const { type, hidden } = tokens[index] as Token
      if (type === 'paragraph_open' && !hidden) {
        const close = findClose(tokens, index)
        html += lineBreakBefore(tokens, index) + this.#paragraph(tokens, index, close)
        index = close
      } else html += this.#block(tokens, index)
    }
    return html
  }

  #block(tokens: readonly Token[], index: number): string {
    const token = tokens[index] as Token
    switch (token.type) {
      case 'heading_open':
        return this.#headingStart(tokens, index)
      case 'inline':
        return this.#inline(token.children ?? [])
      case 'fence':
        return this.#fence(token)
      case 'code_block':
        return this.#code(token, '')
      case 'html_block': {
        const html = this.#author(token.content)
        return html.trim() === '' ? '' : html
      }
      case 'footnote_close':
        return this.#backlinks()
      default:
        return this.#tag(tokens, index)
    }
  }

  // If all content of the paragraph was removed, writes no tags.
  #paragraph(tokens: readonly Token[], open: number, close: number): string {
    const before = this.html.endParagraph()
    const startTag = this.html.open('p', tokens[open]?.attrs ?? null)
    let content = ''
    for (let index = open + 1; index < close; index++) content += this.#block(tokens, index)
    const hasEnded = this.html.hasEnded
    const endTags = this.html.close()
    const inner = content.trimStart()
    if (inner === '') return before
    // If the content begins with an HTML block of the author, the empty paragraph ended before it.
    const isEmpty = hasEnded && startTag !== '' && inner.startsWith('</p>')
    if (isEmpty) return `${before}${inner.slice('</p>'.length)}${endTags}\n`
    return `${before}${startTag}${content}${endTags}\n`
  }

  #tag(tokens: readonly Token[], index: number): string {
    const token = tokens[index] as Token
    if (token.hidden || token.tag === '') return ''
    const before = lineBreakBefore(tokens, index)
    if (token.nesting === -1) return this.html.close() + (token.block ? '\n' : '')
    // GFM writes <del> for `~~`, but markdown-it writes <s>.
    const name = token.type === 's_open' ? 'del' : token.tag
    const attributes = attributesOfToken(token)
    if (token.nesting === 0)
      return before + this.html.empty(name, attributes) + (token.block ? '\n' : '')
    return (
      before +
      this.html.open(name, attributes) +
      (token.block && breaksLine(token, tokens[index + 1]) ? '\n' : '')
    )
  }

  #inline(children: readonly Token[]): string {
    let html = ''
    let dropped: DroppedContent | null = null
    for (let index = 0; index < children.length; index++) {
      const token = children[index] as Token
      if (token.type === 'text') html += escapeHtml(token.content)
      else if (token.type === 'html_inline') {
        dropped ??= new DroppedContent(children.map(authorTagOf))
        const tag = authorTagOf(token)
        html += tag === null ? '' : this.html.authorTag(tag)
        const end = dropped.endOf(index)
        html += this.#halves(children, index + 1, end)
        index = end
      } else html += this.#inlineToken(children, index)
    }
    return html
  }

  // Writes the unpaired tags of Markdown in dropped content, so that the output stays balanced.
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
        return `${this.html.empty('br')}\n`
      case 'code_inline':
        return this.html.open('code', token.attrs) + escapeHtml(token.content) + this.html.close()
      case 'image':
        return this.html.empty('img', imageAttributes(token))
      case 'embed':
        return this.html.hasRoomFor('iframe', 1)
          ? this.#tag(tokens, index)
          : this.#inline(token.children ?? [])
      case 'footnote_reference':
        return this.#footnoteReference(token)
      default:
        return this.#tag(tokens, index)
    }
  }

  #author(source: string): string {
    const pieces = scanHtml(source)
    const dropped = new DroppedContent(pieces.map((piece) => (isTag(piece) ? piece : null)))
    let html = ''
    for (let index = 0; index < pieces.length; index++) {
      const piece = pieces[index] ?? ''
      html += isTag(piece) ? this.html.authorTag(piece) : escapeHtml(piece)
      index = dropped.endOf(index)
    }
    return html
  }

  #fence(token: Token): string {
    const language = this.#parts.parser.utils.unescapeAll(token.info).trim().split(/\s/, 1)[0] ?? ''
    return this.#code(token, language)
  }

  #highlight(code: string, language: string): string | null {
    const { highlight } = this.#parts
    if (highlight === null || language === '' || code.length > maxHighlightedBlock) return null
    if (!this.html.hasRoomFor('span', maxOpenSpans) || !this.#state.mayHighlight(code.length))
      return null
    const html = highlight(code, language)
    return html === null ? null : cleanMarkup(html, code)
  }

  #code(token: Token, language: string): string {
    if (language !== '') token.attrSet('class', `language-${language}`)
    const startTags = this.html.open('pre') + this.html.open('code', token.attrs)
    const content = this.#highlight(token.content, language) ?? escapeHtml(token.content)
    return `${startTags}${content}${this.html.close()}${this.html.close()}\n`
  }

  #headingStart(tokens: readonly Token[], index: number): string {
    const token = tokens[index] as Token
    const text = textOf(tokens[index + 1]?.children ?? []).trim()
    const slug = toSlug(text)
    const id = slug === '' ? null : this.#parts.policy.idPrefix + this.#state.headingId(slug)
    if (id !== null) token.attrSet('id', id)
    const startTag = this.#tag(tokens, index)
    // The policy may have removed the id.
    const isNamed = startTag.includes(` id="${id}"`)
    this.collector.addHeading({ level: Number(token.tag.slice(1)), id: isNamed ? id : null, text })
    return startTag
  }

  #footnoteReference({ meta }: Token): string {
    const { number, references } = (meta as { footnote: Footnote }).footnote
    const { idPrefix } = this.#parts.policy
    const link: AttributeList = [
      ['href', `#${idPrefix}${footnoteId(number)}`],
      ['id', idPrefix + referenceId(number, references)],
    ]
    const startTags = this.html.open('sup', [['class', 'footnote-ref']]) + this.html.open('a', link)
    return startTags + number + this.html.close() + this.html.close()
  }

  footnotes(footnotes: readonly WrittenFootnote[]): string {
    const html = this.html
    let written = `${html.open('section', [['class', 'footnotes']])}\n${html.open('ol')}\n`
    for (const footnote of footnotes) {
      this.#footnote = footnote
      const id = this.#parts.policy.idPrefix + footnoteId(footnote.number)
      written += html.open('li', [['id', id]]) + (footnote.content.length > 1 ? '\n' : '')
      written += `${this.blocks(footnote.content)}${html.close()}\n`
    }
    return `${written}${html.close()}\n${html.close()}\n`
  }

  #backlinks(): string {
    const { number = 0, references = 0 } = this.#footnote ?? {}
    const html = this.html
    let links = ''
    for (let count = 1; count <= Math.min(references, maxBacklinks); count++) {
      const name = count === 1 ? `${number}` : `${number}-${count}`
      const link: AttributeList = [
        ['href', `#${this.#parts.policy.idPrefix}${referenceId(number, count)}`],
        ['class', 'footnote-backref'],
        ['aria-label', `Back to reference ${name}`],
      ]
      links += ` ${html.open('a', link)}↩`
      if (count > 1) links += html.open('sup') + count + html.close()
      links += html.close()
    }
    return links
  }
}
