import type { Unit } from '../engine/unit.ts'
import type { Heading, RenderedMedium } from '../writing/collector.ts'

/** The position of a part of a document. */
interface Placed {
  /**
   * The zero-based line at which its top-level block begins. Inside an HTML element of the author,
   * the line of that element. In the footnotes, the line after the last line break of the text.
   */
  readonly line: number
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
}

/** Combines the units of a document. */
export function toRenderedDocument(units: readonly Unit[]): RenderedDocument {
  const media: (RenderedMedium & Placed)[] = []
  const headings: (Heading & Placed)[] = []
  let before = 0
  for (const unit of units) {
    const line = before + unit.skipped
    for (const medium of unit.media) media.push({ ...medium, line })
    for (const heading of unit.headings) headings.push({ ...heading, line })
    before += unit.lines
  }
  return { html: joinHtml(units), media, headings }
}

/** Joins the HTML of units. */
export function joinHtml(units: readonly Unit[]): string {
  let html = ''
  for (const unit of units) html += unit.html
  return html.trim()
}
