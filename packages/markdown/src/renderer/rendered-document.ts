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
  readonly media: readonly (RenderedMedium & Placed)[]
  readonly headings: readonly (Heading & Placed)[]
  /** The line of the text for each part of the HTML: a source map for blocks. */
  readonly blocks: readonly SourceBlock[]
  /** The parts that the page does not show as the author wrote them, with reasons. */
  readonly removed: readonly (Removal & Placed)[]
  /** The version of the renderer. Store it with cached HTML, and render again if it differs. */
  readonly version: string
}

/** Combines the units of a document, in the order of the output. */
export function toRenderedDocument(units: readonly Unit[], version: string): RenderedDocument {
  const whole = concatenate(units)
  const blocks: SourceBlock[] = []
  const lines: number[] = []
  // The HTML is trimmed.
  let position = whole.trimStart().length - whole.length
  let before = 0
  for (const { html, lines: own, skipped } of units) {
    const line = before + skipped
    lines.push(line)
    if (html !== '') blocks.push({ line, start: Math.max(position, 0) })
    before += own
    position += html.length
  }
  const place = <Part>(list: readonly Part[], index: number): (Part & Placed)[] =>
    list.map((part) => ({ ...part, line: lines[index] ?? 0 }))
  return {
    html: whole.trim(),
    media: units.flatMap(({ media }, index) => place(media, index)),
    headings: units.flatMap(({ headings }, index) => place(headings, index)),
    blocks,
    removed: units.flatMap(({ removals }, index) => place(removals, index)),
    version,
  }
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
