import type { Token } from 'markdown-it'
import type { Definitions, Question } from '../document/document-state.ts'
import type { Heading, Removal, RenderedMedium } from '../writing/collector.ts'

/** The content of a footnote, to be written at the end of the document. */
export interface Note {
  /** Normalized. */
  readonly label: string
  readonly tokens: readonly Token[]
}

/**
 * A run of top-level blocks whose HTML is balanced in itself: one block, or several around which the author opened an
 * element. Rendered again from its source, it gives the same as long as its questions get the same answers.
 */
export interface Unit {
  /** Of its source in UTF-16 units. */
  readonly length: number
  /** Line breaks in its source. */
  readonly lines: number
  /** Those of them before its first line. */
  readonly skipped: number
  readonly definitions: readonly Definitions[]
  readonly emptyCells: number
  readonly questions: readonly Question[]
  readonly html: string
  readonly notes: readonly Note[]
  readonly media: readonly RenderedMedium[]
  readonly headings: readonly Heading[]
  readonly removals: readonly Removal[]
}

/** A text that is shown as it is. */
export function plainUnit(html: string): Unit {
  return {
    ...{ length: 0, lines: 0, skipped: 0, emptyCells: 0, html },
    ...{ definitions: [], questions: [], notes: [], media: [], headings: [], removals: [] },
  }
}
