import type { Token } from 'markdown-it'
import type { Definitions, Question } from '../document/document-state.ts'
import type { Collected } from '../writing/collector.ts'
import type { BlockLines } from './parse-blocks.ts'

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
export interface Unit extends BlockLines, Collected {
  /** Of its source in UTF-16 units. Like definitions and cells, none in a text that is always rendered as a whole. */
  readonly length: number
  readonly definitions: readonly Definitions[]
  readonly emptyCells: number
  readonly questions: readonly Question[]
  readonly html: string
  readonly notes: readonly Note[]
}

/** A text that is shown as it is. */
export function plainUnit(html: string): Unit {
  return {
    ...{ length: 0, lines: 0, skipped: 0, emptyCells: 0, html },
    ...{ definitions: [], questions: [], notes: [], media: [], headings: [], removals: [] },
  }
}
