import type { Unit } from '../engine/unit.ts'
import type { Heading, Removal, RenderedMedium } from '../writing/collector.ts'

/** Where something of a document begins. */
interface Placed {
  /**
   * Zero-based line of the text at which the top-level block that holds it begins; the first block, when an element of
   * the author's holds several. What stands in the section of footnotes is behind the last line break.
   */
  readonly line: number
}

/** A heading of a document, and where it stands. */
export interface PlacedHeading extends Heading, Placed {}

/** A medium of a document, and where it stands. */
export interface PlacedMedium extends RenderedMedium, Placed {}

/** What of a document does not reach the page, and where it stands. */
export interface PlacedRemoval extends Removal, Placed {}

/** A run of top-level blocks in the HTML of a document. */
export interface SourceBlock extends Placed {
  /** Position of its first character in the HTML, in UTF-16 units. */
  readonly start: number
}

/** All that there is to know about a rendered text. */
export interface RenderedDocument {
  readonly html: string
  /** What the HTML loads, but for the pages in frames, and links to uploaded files, in the order of the text. */
  readonly media: readonly PlacedMedium[]
  readonly headings: readonly PlacedHeading[]
  /** Which line of the text each part of the HTML comes from: a source map for blocks. */
  readonly blocks: readonly SourceBlock[]
  /** What the page does not show as its author wrote it, and why. */
  readonly removed: readonly PlacedRemoval[]
  /** Changes when the same text may give other HTML: keep it with cached HTML, and render again when it differs. */
  readonly version: string
}

interface Lists {
  readonly media: PlacedMedium[]
  readonly headings: PlacedHeading[]
  readonly blocks: SourceBlock[]
  readonly removed: PlacedRemoval[]
}

/**
 * Puts a document together.
 *
 * @param units - in the order of the output
 */
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

/** The HTML of a document. */
export function joinHtml(units: readonly Unit[]): string {
  return concatenate(units).trim()
}

function concatenate(units: readonly Unit[]): string {
  let html = ''
  for (const unit of units) html += unit.html
  return html
}
