import type { Token } from 'markdown-it'
import type { DocumentState, Question } from '../document/document-state.ts'
import { type Environment, toInlineEnvironment } from '../document/environment.ts'
import type { CompiledPolicy } from '../policy/compile-policy.ts'
import type { Verifier } from '../verification/verifier.ts'
import { verifyHtml } from '../verification/verify-html.ts'
import { Collector, type OnMedium } from '../writing/collector.ts'
import { HtmlWriter } from '../writing/html-writer.ts'
import { TokenWriter, type TokenWriterParts } from '../writing/token-writer.ts'
import { findNotes, footnoteSection, takeOutNotes, type WrittenFootnote } from './footnotes.ts'
import type { Block } from './parse-blocks.ts'
import { TokenFactory } from './token-factory.ts'
import type { Note, Unit } from './unit.ts'

/** What every document of one renderer is made with. */
export interface BuilderParts extends TokenWriterParts {
  readonly policy: CompiledPolicy
  readonly verifier: Verifier
  readonly onMedium: OnMedium | null
  /** How many UTF-16 units of code may be highlighted in one document. */
  readonly maxHighlighted: number
}

/** The section with the footnotes, and what it was made of. */
export interface FootnoteSection {
  readonly footnotes: readonly WrittenFootnote[]
  readonly unit: Unit
}

/**
 * Renders blocks one after the other and gathers them into units.
 */
export class DocumentBuilder {
  readonly units: Unit[] = []
  readonly #parts: BuilderParts
  readonly #state: DocumentState
  readonly #environment: Environment
  readonly #html: HtmlWriter
  readonly #tokens: TokenWriter
  #blocks: Block[] = []
  #written = ''
  #notes: Note[] = []
  #sizeLeft: number

  /** @param maxSize - how long the HTML may become, in UTF-16 units */
  constructor(parts: BuilderParts, state: DocumentState, maxSize: number) {
    this.#parts = parts
    this.#state = state
    this.#sizeLeft = maxSize
    this.#environment = toInlineEnvironment(state)
    this.#html = new HtmlWriter(parts.policy, new Collector(parts.onMedium))
    this.#tokens = new TokenWriter(parts, this.#html, state, this.#environment)
  }

  /** Whether a unit is begun and not ended: an element of the author's is open. */
  get isOpen(): boolean {
    return this.#blocks.length > 0
  }

  /** Renders the next block. */
  add(block: Block): void {
    const core = new this.#parts.parser.core.State('', this.#parts.parser, this.#environment)
    core.tokens = block.tokens
    this.#parts.parser.core.process(core)
    this.write(block, core.tokens)
  }

  /** Writes the next block. `tokens` are what the core rules made of it. */
  write(block: Block, tokens: Token[]): void {
    const { body, notes } = takeOutNotes(tokens)
    this.#written += this.#tokens.blocks(body)
    this.#notes.push(...notes)
    this.#blocks.push(block)
    if (this.#html.isClosed) this.#endUnit()
  }

  /** Takes over a unit that was rendered before. Its questions must have been asked again. */
  keep(unit: Unit): void {
    this.#countSize(unit)
    this.units.push(unit)
  }

  /** Ends the last unit. */
  end(): void {
    if (this.isOpen) this.#endUnit()
  }

  /**
   * Writes the section with the footnotes that the units refer to.
   *
   * @param previous - of the text as it was before
   * @returns null when there are none
   */
  footnotes(previous: FootnoteSection | null = null): FootnoteSection | null {
    const footnotes = findNotes(this.#state.footnotes, this.units)
    if (footnotes.length === 0) return null
    if (previous !== null && isSame(previous.footnotes, footnotes) && this.#state.replay(previous.unit.questions)) {
      return previous
    }
    const { idPrefix, parser } = this.#parts
    const make = new TokenFactory(new parser.core.State('', parser, {}).Token)
    this.#written = this.#tokens.blocks(footnoteSection(footnotes, idPrefix, make))
    return { footnotes, unit: this.#createUnit() }
  }

  #endUnit(): void {
    this.#written += this.#html.closeAll()
    this.units.push(this.#createUnit())
  }

  #createUnit(): Unit {
    const collector = this.#html.collector
    const html = verifyHtml(withoutNul(this.#written), this.#parts.verifier, ({ reason }) => {
      collector.remove('unverified', 'text', reason)
    })
    const blocks = this.#blocks
    const { media, headings, removals } = collector
    const unit = {
      length: blocks.reduce((sum, { length }) => sum + length, 0),
      lines: blocks.reduce((sum, { lines }) => sum + lines, 0),
      skipped: blocks[0]?.skipped ?? 0,
      emptyCells: blocks.reduce((sum, { emptyCells }) => sum + emptyCells, 0),
      definitions: blocks.flatMap(({ definitions }) => definitions),
      questions: this.#state.takeQuestions() as readonly Question[],
      notes: this.#notes,
      ...{ html, media, headings, removals },
    }
    this.#blocks = []
    this.#written = ''
    this.#notes = []
    this.#html.collector = new Collector(this.#parts.onMedium)
    this.#countSize(unit)
    return unit
  }

  #countSize({ html }: Unit): void {
    this.#sizeLeft -= html.length
    if (this.#sizeLeft < 0) throw new RangeError('The HTML grows too large.')
  }
}

// markdown-it decodes percent escapes in the text of links.
function withoutNul(html: string): string {
  return html.includes('\0') ? html.replaceAll('\0', '\uFFFD') : html
}

function isSame(some: readonly WrittenFootnote[], others: readonly WrittenFootnote[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ note, references }, index) => {
      return note === others[index]?.note && references === others[index]?.references
    })
  )
}
