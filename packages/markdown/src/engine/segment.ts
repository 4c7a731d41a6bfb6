import type { Token } from 'markdown-it'
import type { StateRequest } from '../document/document-state.ts'
import type { Collected } from '../writing/collector.ts'
import type { SourcePart } from './parse-blocks.ts'

/** The content of a footnote. It is written at the end of the document. */
export interface Note {
  /** The normalized label. */
  readonly label: string
  readonly tokens: readonly Token[]
}

/**
 * A part of a document with balanced HTML: one top-level block, or all blocks from the start tag to
 * the end tag of an HTML element. The HTML depends only on the source and the requests' results.
 */
export interface Segment extends SourcePart, Collected {
  readonly requests: readonly StateRequest[]
  readonly html: string
  readonly notes: readonly Note[]
}

/** Creates the segment for a text that is escaped instead of parsed. */
export function plainSegment(html: string): Segment {
  return {
    ...{ length: 0, lines: 0, skipped: 0, definitions: [], emptyCells: 0 },
    ...{ requests: [], html, notes: [], media: [], headings: [] },
  }
}
