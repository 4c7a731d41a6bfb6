import { DocumentState, type LinkDefinition } from '../document/document-state.ts'
import { toInlineEnvironment } from '../document/environment.ts'
import { maxEmptyCells } from '../syntax/limits.ts'
import { type BuilderParts, DocumentBuilder, type FootnoteSection } from './document-builder.ts'
import { type Block, parseBlocks } from './parse-blocks.ts'
import { maxSizeOf } from './source.ts'
import type { Unit } from './unit.ts'
import { planUpdate, type UpdatePlan } from './update-plan.ts'

/**
 * A text and its HTML, in units. After a change, only those units are rendered again whose source
 * has changed, or whose questions get other answers. The result is the same as a full render.
 */
export class LiveDocument {
  readonly #parts: BuilderParts
  #source = ''
  #units: readonly Unit[] = []
  #isLimited = false
  #section: FootnoteSection | null = null

  constructor(parts: BuilderParts) {
    this.#parts = parts
  }

  /** The units in the order of the output, with the footnotes at the end. */
  get units(): readonly Unit[] {
    return this.#section === null ? this.#units : [...this.#units, this.#section.unit]
  }

  /**
   * Renders a text.
   *
   * @param source - normalized
   * @throws TooLargeError if the HTML is larger than the limit; the document is then unchanged
   */
  update(source: string): void {
    const { parser } = this.#parts
    const everything = (): UpdatePlan => ({
      kept: 0,
      blocks: parseBlocks(parser, source),
      resumed: this.#units.length,
    })
    let plan = this.#isLimited
      ? everything()
      : planUpdate(parser, { source: this.#source, units: this.#units }, source)
    // Beyond the limit, a table is only recognized depending on all tables before it.
    const isLimited = countEmptyCells(this.#partsOf(plan)) > maxEmptyCells
    if (isLimited && !this.#isLimited) plan = everything()
    const { units, section } = this.#render(source, plan)
    this.#source = source
    this.#units = units
    this.#isLimited = isLimited
    this.#section = section
  }

  #render(source: string, plan: UpdatePlan): { units: Unit[]; section: FootnoteSection | null } {
    const before = this.#units.slice(0, plan.kept)
    const after = this.#units.slice(plan.resumed)
    const definitions = mergeDefinitions(this.#partsOf(plan))
    const state = new DocumentState(definitions, source.length, this.#parts.maxHighlighted)
    const builder = new DocumentBuilder(this.#parts, toInlineEnvironment(state), maxSizeOf(source))
    let position = this.#reuse(before, source, 0, builder, state)
    for (const block of plan.blocks) {
      builder.add(block)
      position += block.length
    }
    this.#reuse(after, source, position, builder, state)
    builder.end()
    return { units: builder.units, section: builder.footnotes(this.#section) }
  }

  // Keeps the units whose questions get the same answers, and renders the others again.
  #reuse(
    units: readonly Unit[],
    source: string,
    from: number,
    builder: DocumentBuilder,
    state: DocumentState,
  ): number {
    let position = from
    for (const unit of units) {
      const end = position + unit.length
      if (!builder.isOpen && state.replay(unit.questions)) builder.keep(unit)
      else
        for (const block of parseBlocks(this.#parts.parser, source.slice(position, end)))
          builder.add(block)
      position = end
    }
    return position
  }

  #partsOf({ kept, blocks, resumed }: UpdatePlan): (Unit | Block)[] {
    return (this.#units.slice(0, kept) as (Unit | Block)[]).concat(
      blocks,
      this.#units.slice(resumed),
    )
  }
}

function countEmptyCells(parts: readonly (Unit | Block)[]): number {
  let count = 0
  for (const { emptyCells } of parts) count += emptyCells
  return count
}

// If a label has two definitions, the first one is used.
function mergeDefinitions(parts: readonly (Unit | Block)[]): {
  links: Map<string, LinkDefinition>
  footnotes: Set<string>
} {
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
