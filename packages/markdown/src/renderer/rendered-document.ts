import type { Segment } from '../engine/segment.ts'
import type { Heading, RenderedMedium } from '../writing/collector.ts'

interface Placed {
  /**
   * The zero-based line at which the surrounding top-level block begins. Inside an HTML element of
   * the author, it is the line of this element. In a footnote, it is the line after the last line
   * break of the text.
   */
  readonly line: number
}

/** The HTML of a text, with its media and headings. */
export interface RenderedDocument {
  readonly html: string
  /**
   * The media that the HTML loads, and the uploaded files that it links to, in the order of the
   * text. Does not include pages in frames.
   */
  readonly media: readonly (RenderedMedium & Placed)[]
  readonly headings: readonly (Heading & Placed)[]
}

/** Combines the segments of a document. */
export function toRenderedDocument(segments: readonly Segment[]): RenderedDocument {
  const media: (RenderedMedium & Placed)[] = []
  const headings: (Heading & Placed)[] = []
  let before = 0
  for (const segment of segments) {
    const line = before + segment.skipped
    for (const medium of segment.media) media.push({ ...medium, line })
    for (const heading of segment.headings) headings.push({ ...heading, line })
    before += segment.lines
  }
  return { html: joinHtml(segments), media, headings }
}

/** Joins the HTML of segments. */
export function joinHtml(segments: readonly Segment[]): string {
  let html = ''
  for (const segment of segments) html += segment.html
  return html.trim()
}
