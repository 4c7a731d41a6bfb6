import { type Definitions, DocumentState, type LinkDefinition } from '../document/document-state.ts'
import { maxHighlightedDocument } from '../highlighting/highlighter.ts'
import { maxEmptyCells } from '../syntax/limits.ts'
import type { RendererParts } from '../writing/token-writer.ts'
import { DocumentBuilder, type FootnoteSection } from './document-builder.ts'
import { parseBlocks, type SourcePart, sumOf } from './parse-blocks.ts'
import type { Segment } from './segment.ts'
import { maxSizeOf } from './source.ts'
import { planUpdate, type UpdatePlan } from './update-plan.ts'

/**
 * A text and its HTML, in segments. A segment is rendered again if its source changes, or if it
 * uses data of the document that changes, such as a link definition. The result is the same as
 * after a full render.
 */
export class LiveDocument {
  readonly #parts: RendererParts
  #source = ''
  #segments: readonly Segment[] = []
  #isLimited = false
  #section: FootnoteSection | null = null

  constructor(parts: RendererParts) {
    this.#parts = parts
  }

  /** Renders a normalized text. If rendering throws an error, the document is unchanged. */
  update(source: string): readonly Segment[] {
    const { parser } = this.#parts
    let plan = planUpdate(parser, { source: this.#source, segments: this.#segments }, source)
    // After `maxEmptyCells` empty cells, all later tables become text. A table then depends on the
    // tables before it, so the whole text is parsed again.
    const isLimited = this.#isLimited || sumOf(this.#partsOf(plan), 'emptyCells') > maxEmptyCells
    if (isLimited)
      plan = { kept: 0, blocks: parseBlocks(parser, source), resumed: this.#segments.length }
    const builder = this.#render(source, plan)
    const section = builder.end(this.#section)
    const { segments } = builder
    this.#source = source
    this.#segments = segments
    this.#isLimited = isLimited && sumOf(segments, 'emptyCells') > maxEmptyCells
    this.#section = section
    return section ? [...segments, section.segment] : segments
  }

  #render(source: string, plan: UpdatePlan): DocumentBuilder {
    const state = new DocumentState(
      mergeDefinitions(this.#partsOf(plan)),
      source.length,
      maxHighlightedDocument,
    )
    const builder = new DocumentBuilder(this.#parts, state, maxSizeOf(source))
    let position = 0
    const reuse = (segments: readonly Segment[]): void => {
      for (const segment of segments) {
        const end = position + segment.length
        if (!builder.isOpen && state.repeat(segment.requests)) builder.keep(segment)
        else
          for (const block of parseBlocks(this.#parts.parser, source.slice(position, end)))
            builder.add(block)
        position = end
      }
    }
    reuse(this.#segments.slice(0, plan.kept))
    for (const block of plan.blocks) {
      builder.add(block)
      position += block.length
    }
    reuse(this.#segments.slice(plan.resumed))
    return builder
  }

  #partsOf({ kept, blocks, resumed }: UpdatePlan): SourcePart[] {
    return [...this.#segments.slice(0, kept), ...blocks, ...this.#segments.slice(resumed)]
  }
}

// If a label has several definitions, uses the first, as CommonMark requires.
function mergeDefinitions(parts: readonly SourcePart[]): Definitions {
  const links = new Map<string, LinkDefinition>()
  const footnotes = new Set<string>()
  for (const { definitions } of parts) {
    for (const own of definitions) {
      for (const [label, link] of own.links) if (!links.has(label)) links.set(label, link)
      for (const label of own.footnotes) footnotes.add(label)
    }
  }
  return { links, footnotes }
}
