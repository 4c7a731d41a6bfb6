export { bareAddressAt } from './bare-addresses.ts'
export { skipWhitespace } from './characters.ts'
export { escapeHtml } from './escape-html.ts'
export { tagEnd } from './html-tag.ts'
export {
  Brackets,
  CodeSpans,
  isEscape,
  matchDestination,
  titleEnd,
} from './inline.ts'
export {
  type Alignment,
  alignmentOf,
  beginsBlock,
  cellEnds,
  containerOf,
  type FencedBlock,
  fencedBlocks,
  headingMarkOf,
  isBlank,
  isDelimiterRow,
  type Line,
  listMarkOf,
  quoteMarkOf,
  readLine,
  readLines,
  splitCells,
} from './lines.ts'
export { hasScheme, schemeOf } from './url.ts'
