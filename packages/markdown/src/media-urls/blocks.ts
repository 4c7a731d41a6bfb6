import { skipSpaces } from '../grammar/characters.ts'
import {
  type Fence,
  isAtxHeading,
  isClosingFence,
  isSetextUnderline,
  matchFence,
  matchListMarker,
  ThematicBreaks,
} from './block-starts.ts'
import { ContainerStack } from './container-stack.ts'
import { type Definitions, takeDefinitions } from './definitions.ts'
import { matchFootnoteMarker } from './footnotes.ts'
import { endsHtmlBlock, type HtmlBlockEnd, matchHtmlBlock } from './html-block.ts'
import { LineCursor } from './line-cursor.ts'
import { type Content, contentFrom, SourceLines, sliceContent } from './source-lines.ts'
import { delimiterColumns, rowCells, rowColumns } from './table.ts'

const hash = 0x23
const asterisk = 0x2a
const minus = 0x2d
const colon = 0x3a
const less = 0x3c
const equals = 0x3d
const greater = 0x3e
const bracket = 0x5b
const underscore = 0x5f
const backtick = 0x60
const pipe = 0x7c
const tilde = 0x7e

/** What the block structure of a document leaves to be read. */
export interface Blocks {
  /** Text with inline syntax: paragraphs, headings, table cells. */
  readonly inlines: readonly Content[]
  /** HTML blocks. */
  readonly html: readonly Content[]
  readonly definitions: Definitions
  /** Normalized labels of the footnotes. */
  readonly footnotes: ReadonlySet<string>
}

/** Reads the block structure of a document: CommonMark 0.31.2 with GitHub's tables and footnotes. */
export function parseBlocks(document: string): Blocks {
  return new BlockParser(document).parse()
}

interface Paragraph {
  readonly type: 'paragraph'
  readonly lines: SourceLines
  /** Where its last line begins; null when that is indented too far to be the header row of a table. */
  lastLine: number | null
}

type Leaf =
  | Paragraph
  | { readonly type: 'fence'; readonly fence: Fence }
  | { readonly type: 'indented' }
  | { readonly type: 'html'; readonly lines: SourceLines; readonly end: HtmlBlockEnd }
  | { readonly type: 'table'; readonly columns: number }

/** One pass over the lines: "Phase 1" of the parsing strategy in the appendix of the CommonMark specification. */
class BlockParser {
  readonly #document: string
  readonly #line: LineCursor
  readonly #breaks: ThematicBreaks
  readonly #containers = new ContainerStack()
  readonly #inlines: Content[] = []
  readonly #html: Content[] = []
  readonly #definitions: Definitions = new Map()
  readonly #footnotes = new Set<string>()
  #leaf: Leaf | null = null

  constructor(document: string) {
    this.#document = document
    this.#line = new LineCursor(document)
    this.#breaks = new ThematicBreaks(document)
  }

  parse(): Blocks {
    while (this.#line.nextLine()) this.#readLine()
    this.#closeLeaf()
    return {
      inlines: this.#inlines,
      html: this.#html,
      definitions: this.#definitions,
      footnotes: this.#footnotes,
    }
  }

  #readLine(): void {
    this.#containers.match(this.#line)
    if (this.#containers.isMatched && this.#continueLeaf()) return
    while (this.#openContainer());
    if (this.#line.isBlank) this.#closeUnmatched()
    else if (!this.#openLeaf()) this.#addText()
  }

  /** Whether the line is wholly the open leaf's, so that nothing can begin in it. */
  #continueLeaf(): boolean {
    const { nonspace, end, indent, isBlank } = this.#line
    switch (this.#leaf?.type) {
      case 'fence':
        if (indent < 4 && isClosingFence(this.#document, nonspace, end, this.#leaf.fence))
          this.#leaf = null
        return true
      case 'indented':
        if (isBlank || indent > 3) return true
        break
      case 'html':
        if (isBlank && this.#leaf.end === 'blank') break
        this.#addHtml(this.#leaf.lines, this.#leaf.end)
        return true
      default:
        if (!isBlank) return false
    }
    this.#closeLeaf()
    return false
  }

  /** Opens the container that begins here; false when none does. */
  #openContainer(): boolean {
    const line = this.#line
    if (line.isBlank || line.indent > 3) return false
    if (line.code === greater) {
      this.#closeLeaf()
      this.#containers.openQuote(line)
      return true
    }
    if (line.code === bracket) return this.#openFootnote()
    const marker = matchListMarker(this.#document, line.nonspace, line.end)
    // Thematic breaks and underlines come before list items.
    if (marker === null || this.#isUnderline() || this.#breaks.matches(line.nonspace, line.end))
      return false
    if (this.#isInParagraph && !(marker.canInterrupt && !this.#isEmptyAfter(marker.length)))
      return false
    this.#closeLeaf()
    this.#containers.openItem(line, marker.length)
    return true
  }

  #openFootnote(): boolean {
    const footnote = matchFootnoteMarker(this.#document, this.#line.nonspace)
    if (footnote === null) return false
    this.#closeLeaf()
    this.#footnotes.add(footnote.label)
    this.#containers.openFootnote(this.#line, footnote.after)
    return true
  }

  #isEmptyAfter(length: number): boolean {
    const { nonspace, end } = this.#line
    return skipSpaces(this.#document, nonspace + length, end) === end
  }

  /** Whether the line is a paragraph's by its containers too, and not only as a lazy continuation. */
  get #isInParagraph(): boolean {
    return this.#leaf?.type === 'paragraph' && this.#containers.isMatched
  }

  /** Whether the line makes the paragraph before it a heading. One that only holds definitions can't become one. */
  #isUnderline(): boolean {
    const { nonspace, end, code } = this.#line
    if (this.#leaf?.type !== 'paragraph' || !this.#containers.isMatched) return false
    if ((code !== minus && code !== equals) || !isSetextUnderline(this.#document, nonspace, end))
      return false
    if (this.#withoutDefinitions(this.#leaf.lines) !== null) return true
    this.#leaf.lines.clear()
    return false
  }

  /** Opens the leaf that begins here and needs no text before it; false when none does. */
  #openLeaf(): boolean {
    const { nonspace, end, indent, code } = this.#line
    if (indent > 3) {
      if (this.#leaf?.type === 'paragraph') return false
      this.#startLeaf({ type: 'indented' })
      return true
    }
    switch (code) {
      case hash:
        if (!isAtxHeading(this.#document, nonspace, end)) return false
        this.#startLeaf(null)
        this.#inlines.push(sliceContent(this.#document, nonspace, end))
        return true
      case backtick:
      case tilde:
        return this.#openFence()
      case less:
        return this.#openHtml()
      case asterisk:
      case minus:
      case equals:
      case underscore:
        if (!this.#isUnderline() && (code === equals || !this.#breaks.matches(nonspace, end)))
          return false
        this.#startLeaf(null)
        return true
      default:
        return false
    }
  }

  #openFence(): boolean {
    const fence = matchFence(this.#document, this.#line.nonspace, this.#line.end)
    if (fence === null) return false
    this.#startLeaf({ type: 'fence', fence })
    return true
  }

  #openHtml(): boolean {
    const canBeAnyTag = this.#leaf?.type !== 'paragraph' && this.#leaf?.type !== 'table'
    const ending = matchHtmlBlock(this.#document, this.#line.nonspace, this.#line.end, canBeAnyTag)
    if (ending === null) return false
    const lines = new SourceLines(this.#document)
    this.#startLeaf({ type: 'html', lines, end: ending })
    this.#addHtml(lines, ending)
    return true
  }

  #addHtml(lines: SourceLines, ending: HtmlBlockEnd): void {
    const { nonspace, end, next, sawMarker } = this.#line
    lines.add(nonspace, next, !sawMarker)
    if (endsHtmlBlock(this.#document, nonspace, end, ending)) this.#closeLeaf()
  }

  /** Adds a line of text to the open paragraph or table, or begins a paragraph with it. */
  #addText(): void {
    const { nonspace, end, next, indent, sawMarker } = this.#line
    if (this.#leaf?.type === 'table' && this.#containers.isMatched) {
      this.#addRow(nonspace, end, this.#leaf.columns)
    } else if (this.#leaf?.type !== 'paragraph') {
      const lines = new SourceLines(this.#document)
      this.#startLeaf({ type: 'paragraph', lines, lastLine: nonspace })
      lines.add(nonspace, next, false)
    } else if (!this.#openTable(this.#leaf)) {
      this.#leaf.lastLine = indent < 4 ? nonspace : null
      this.#leaf.lines.add(nonspace, next, !sawMarker)
    }
  }

  /** Opens a table when the line is a delimiter row; its header row is the paragraph's last line. */
  #openTable({ lines, lastLine: header }: Paragraph): boolean {
    const { nonspace, end, indent, code } = this.#line
    if (code !== pipe && code !== colon && code !== minus) return false
    if (header === null || indent > 3 || !this.#containers.isMatched || lines.isEmpty) return false
    const columns = delimiterColumns(this.#document.slice(nonspace, end))
    const headerEnd = this.#line.start
    if (columns === 0 || rowColumns(this.#document.slice(header, headerEnd)) !== columns)
      return false
    lines.removeFrom(header)
    this.#startLeaf({ type: 'table', columns })
    this.#addRow(header, headerEnd, columns)
    return true
  }

  #addRow(start: number, end: number, columns: number): void {
    for (const cell of rowCells(this.#document, start, end, columns)) this.#inlines.push(cell)
  }

  #startLeaf(leaf: Leaf | null): void {
    this.#closeLeaf()
    this.#containers.addContent()
    this.#leaf = leaf
  }

  #closeUnmatched(): void {
    if (!this.#containers.isMatched) this.#closeLeaf()
    this.#containers.closeUnmatched()
  }

  #closeLeaf(): void {
    const leaf = this.#leaf
    this.#leaf = null
    if (leaf?.type === 'html') this.#html.push(leaf.lines.toContent())
    if (leaf?.type !== 'paragraph' || leaf.lines.isEmpty) return
    const content = this.#withoutDefinitions(leaf.lines)
    if (content !== null) this.#inlines.push(content)
  }

  /** A paragraph's content after its link reference definitions; null when there is none. */
  #withoutDefinitions(lines: SourceLines): Content | null {
    const content = lines.toContent()
    const position = takeDefinitions(content, this.#definitions)
    return position < content.text.length ? contentFrom(content, position) : null
  }
}
