import type { Unit } from './engine/unit.ts'
import type { Heading, Removal, RenderedMedium } from './writing/collector.ts'

/** Where something of a document begins. */
interface Placed {
  /**
   * Zero-based line of the text at which the top-level block that holds it begins; the first block, when an element of
   * the author's holds several. What stands in the section of footnotes is behind the last line break.
   */
  readonly line: number
}

/** A run of top-level blocks in the HTML of a document. */
export interface SourceBlock extends Placed {
  /** Position of its first character in the HTML, in UTF-16 units. */
  readonly start: number
}

/** All that there is to know about a rendered text. */
export interface RenderedDocument {
  readonly html: string
  /** What the HTML loads, and links to uploaded files, in the order of the text. */
  readonly media: readonly (RenderedMedium & Placed)[]
  readonly headings: readonly (Heading & Placed)[]
  /** Which line of the text each part of the HTML comes from: a source map for blocks. */
  readonly blocks: readonly SourceBlock[]
  /** What the page does not show as its author wrote it, and why. */
  readonly removed: readonly (Removal & Placed)[]
  /** Changes when the same text may give other HTML: keep it with cached HTML, and render again when it differs. */
  readonly version: string
}

/**
 * Puts a document together.
 *
 * @param units - in the order of the output
 */
export function toRenderedDocument(units: readonly Unit[], version: string): RenderedDocument {
  const html = joinHtml(units)
  const leading = units.reduce((sum, unit) => sum + unit.html, '').search(/\S|$/)
  const media: (RenderedMedium & Placed)[] = []
  const headings: (Heading & Placed)[] = []
  const removed: (Removal & Placed)[] = []
  const blocks: SourceBlock[] = []
  let line = 0
  let position = -leading
  for (const unit of units) {
    const at = { line: line + unit.skipped }
    media.push(...unit.media.map((medium) => ({ ...medium, ...at })))
    headings.push(...unit.headings.map((heading) => ({ ...heading, ...at })))
    removed.push(...unit.removals.map((removal) => ({ ...removal, ...at })))
    if (unit.html !== '') blocks.push({ ...at, start: Math.max(position, 0) })
    line += unit.lines
    position += unit.html.length
  }
  return { html, media, headings, blocks, removed, version }
}

/** The HTML of a document. */
export function joinHtml(units: readonly Unit[]): string {
  let html = ''
  for (const unit of units) html += unit.html
  return html.trim()
}
