import type { Token } from 'markdown-it'
import type { Definitions, Question } from '../document/document-state.ts'
import type { Collected } from '../writing/collector.ts'
import type { BlockLines } from './parse-blocks.ts'

/** The content of a footnote, which is written at the end of the document. */
export interface Note {
  /** Normalized. */
  readonly label: string
  readonly tokens: readonly Token[]
}

/**
 * Consecutive top-level blocks with balanced HTML: one block, or several inside an element of the
 * author. Its HTML stays the same as long as its source and the answers to its questions do.
 */
export interface Unit extends BlockLines, Collected {
  /**
   * The length of its source in UTF-16 units. If plugins are used, it is 0, and there are no
   * definitions and cells.
   */
  readonly length: number
  readonly definitions: readonly Definitions[]
  readonly emptyCells: number
  readonly questions: readonly Question[]
  readonly html: string
  readonly notes: readonly Note[]
}

/** Creates the unit of a text that is shown escaped. */
export function plainUnit(html: string): Unit {
  return {
    ...{ length: 0, lines: 0, skipped: 0, emptyCells: 0, html },
    ...{ definitions: [], questions: [], notes: [], media: [], headings: [], removals: [] },
  }
}
