import type { Unit } from '../engine/unit.ts'
import type { Heading, Removal, RenderedMedium } from '../writing/collector.ts'

/** The position of a part of a document. */
interface Placed {
  /**
   * The zero-based line of its top-level block. Inside an element of the author, it is the line of
   * that element. In the section of footnotes, it is the line after the last line break.
   */
  readonly line: number
}

/** A heading of a document, with its line. */
export interface PlacedHeading extends Heading, Placed {}

/** A medium of a document, with its line. */
export interface PlacedMedium extends RenderedMedium, Placed {}

/** A part of a document that the page does not show, with its line. */
export interface PlacedRemoval extends Removal, Placed {}

/** Consecutive top-level blocks in the HTML of a document. */
export interface SourceBlock extends Placed {
  /** The position of its first character in the HTML, in UTF-16 units. */
  readonly start: number
}

/** The HTML of a text, with data about it. */
export interface RenderedDocument {
  readonly html: string
  /**
   * Media that the HTML loads, except pages in frames, and links to uploaded files, in the order of
   * the text.
   */
  readonly media: readonly PlacedMedium[]
  readonly headings: readonly PlacedHeading[]
  /** The line of the text for each part of the HTML: a source map for blocks. */
  readonly blocks: readonly SourceBlock[]
  /** The parts that the page does not show as the author wrote them, with reasons. */
  readonly removed: readonly PlacedRemoval[]
  /** The version of the renderer. Store it with cached HTML, and render again if it differs. */
  readonly version: string
}

interface Lists {
  readonly media: PlacedMedium[]
  readonly headings: PlacedHeading[]
  readonly blocks: SourceBlock[]
  readonly removed: PlacedRemoval[]
}

/** Combines the units of a document, in the order of the output. */
export function toRenderedDocument(units: readonly Unit[], version: string): RenderedDocument {
  const whole = concatenate(units)
  const lists: Lists = { media: [], headings: [], blocks: [], removed: [] }
  // The HTML is trimmed.
  let position = whole.trimStart().length - whole.length
  let lines = 0
  for (const unit of units) {
    const line = lines + unit.skipped
    for (const medium of unit.media) lists.media.push({ ...medium, line })
    for (const heading of unit.headings) lists.headings.push({ ...heading, line })
    for (const removal of unit.removals) lists.removed.push({ ...removal, line })
    if (unit.html !== '') lists.blocks.push({ line, start: Math.max(position, 0) })
    lines += unit.lines
    position += unit.html.length
  }
  return { html: whole.trim(), ...lists, version }
}

/** Returns the HTML of a document. */
export function joinHtml(units: readonly Unit[]): string {
  return concatenate(units).trim()
}

function concatenate(units: readonly Unit[]): string {
  let html = ''
  for (const unit of units) html += unit.html
  return html
}
