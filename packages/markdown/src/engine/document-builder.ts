import type { DocumentState } from '../document/document-state.ts'
import { type Environment, toInlineEnvironment } from '../document/environment.ts'
import { verifyHtml } from '../verification/verify-html.ts'
import { type RendererParts, TokenWriter, type WrittenFootnote } from '../writing/token-writer.ts'
import { extractNotes, findNotes } from './footnotes.ts'
import { TooLargeError } from './limits.ts'
import { type Block, sumOf } from './parse-blocks.ts'
import type { Note, Segment } from './segment.ts'
import { replaceBroken } from './source.ts'

/** The segment that contains the footnotes, and the footnotes from which it was rendered. */
export interface FootnoteSection {
  readonly footnotes: readonly WrittenFootnote[]
  readonly segment: Segment
}

/** Renders blocks in order and combines them into segments. */
export class DocumentBuilder {
  readonly segments: Segment[] = []
  readonly #parts: RendererParts
  readonly #state: DocumentState
  readonly #environment: Environment
  readonly #writer: TokenWriter
  #line = 0
  #blocks: Block[] = []
  #written = ''
  #notes: Note[] = []
  #sizeLeft: number

  constructor(parts: RendererParts, state: DocumentState, maxSize: number) {
    this.#parts = parts
    this.#state = state
    this.#environment = toInlineEnvironment(state)
    this.#sizeLeft = maxSize
    this.#writer = new TokenWriter(parts, state)
  }

  /** True if a segment has not ended yet, because an HTML element of the text is open. */
  get isOpen(): boolean {
    return this.#blocks.length > 0
  }

  add(block: Block): void {
    const { parser } = this.#parts
    const core = new parser.core.State('', parser, this.#environment)
    core.tokens = block.tokens
    parser.core.process(core)
    const { body, notes } = extractNotes(core.tokens)
    this.#written += this.#writer.blocks(body)
    this.#notes.push(...notes)
    this.#blocks.push(block)
    if (this.#writer.html.isClosed) this.#endSegment()
  }

  /** Adds a segment of the previous render. The caller must first repeat its requests. */
  keep(segment: Segment): void {
    this.#countSize(segment)
    this.#push(segment)
  }

  /** Ends the last segment and renders the referenced footnotes. Returns null if there are none. */
  end(previous: FootnoteSection | null): FootnoteSection | null {
    if (this.isOpen) this.#endSegment()
    const footnotes = findNotes(this.#state.footnotes, this.segments)
    if (footnotes.length === 0) return null
    if (previous && isSame(previous.footnotes, footnotes)) {
      const { segment } = previous
      if (this.#state.repeat(segment.requests)) {
        this.#countSize(segment)
        return previous
      }
    }
    this.#written = this.#writer.footnotes(footnotes)
    return { footnotes, segment: this.#createSegment() }
  }

  #endSegment(): void {
    this.#written += this.#writer.html.closeAll()
    this.#push(this.#createSegment())
  }

  #push(segment: Segment): void {
    this.segments.push(segment)
    this.#line += segment.lines
  }

  #createSegment(): Segment {
    const blocks = this.#blocks
    const skipped = blocks[0]?.skipped ?? 0
    // The source has no lone surrogates, but `onMedium` and `alertTitles` may add some.
    const html = this.#verify(replaceBroken(this.#written), this.#line + skipped)
    const segment = {
      length: sumOf(blocks, 'length'),
      lines: sumOf(blocks, 'lines'),
      skipped,
      definitions: blocks.flatMap(({ definitions }) => definitions),
      emptyCells: sumOf(blocks, 'emptyCells'),
      requests: this.#state.takeRequests(),
      html,
      notes: this.#notes,
      ...this.#writer.collector.take(),
    }
    this.#blocks = []
    this.#written = ''
    this.#notes = []
    this.#countSize(segment)
    return segment
  }

  #verify(html: string, line: number): string {
    return verifyHtml(html, this.#parts.verifier, ({ position, reason }) => {
      this.#parts.onFinding?.({ reason, html, position, line })
    })
  }

  #countSize({ html }: Segment): void {
    this.#sizeLeft -= html.length
    if (this.#sizeLeft < 0) throw new TooLargeError('The HTML of the text is too large.')
  }
}

function isSame(some: readonly WrittenFootnote[], others: readonly WrittenFootnote[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ number, references, content }, index) => {
      const other = others[index]
      return (
        number === other?.number && references === other.references && content === other.content
      )
    })
  )
}
