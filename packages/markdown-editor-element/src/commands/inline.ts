import { type Edit, type Splice, spliced, type TextState, type ToggleCommand } from './edit.ts'
import { fencedBlocks, type Range } from './line-grammar.ts'
import { isInAddress } from './link-spans.ts'
import { cutAround, type InlineStyle, isEscaped, layersAt, marksIn, spansAt } from './marks.ts'
import { inlinePieces, inlineRange } from './selection.ts'

// Match text that ends or begins with white space or punctuation, and `''`, which is the start or
// end of the text (https://spec.commonmark.org/0.31.2/#left-flanking-delimiter-run).
const ENDS_AT_EDGE = /(?:^|[\s\p{P}\p{S}])$/u
const BEGINS_AT_EDGE = /^(?:[\s\p{P}\p{S}]|$)/u
// Punctuation that may stay outside the marks. Other ASCII punctuation, such as a bracket, may be
// part of other Markdown syntax.
const OUTER = String.raw`(?:[*_~=^"'.,;:?]|(?![\0-\x7f])\p{P})`
const OUTER_BEFORE = new RegExp(`^${OUTER}*`, 'u')
const OUTER_AFTER = new RegExp(`(?<!${OUTER})${OUTER}+$|$`, 'u')

/** The commands that add or remove marks (`**`) at the selection or at the word of the caret. */
export const INLINE_COMMANDS = {
  bold: inlineCommand({ characters: '*_', size: 2 }),
  italic: inlineCommand({ characters: '*_', size: 1 }),
  strikethrough: inlineCommand({ characters: '~', size: 2 }),
  highlight: inlineCommand({ characters: '=', size: 2 }),
  superscript: inlineCommand({ characters: '^', size: 1, byWord: true }),
  subscript: inlineCommand({ characters: '~', size: 1, byWord: true }),
}

function inlineCommand(style: InlineStyle): ToggleCommand {
  return {
    run: (state) => {
      const pieces = piecesOf(state, style)
      if (isMarked(pieces))
        return spliced(
          state,
          pieces.flatMap(({ marks }) => marks),
        )
      const plain = pieces.filter(({ marks }) => marks.length === 0)
      return addMarks(state, plain, style)
    },
    isActive: (state) => isMarked(piecesOf(state, style)),
  }
}

/** A part of the selection, and the splices that remove its marks. */
interface Piece extends Range {
  readonly marks: readonly Splice[]
}

function isMarked(pieces: readonly Piece[]): boolean {
  return pieces.length > 0 && pieces.every(({ marks }) => marks.length > 0)
}

interface Wrapping extends Range {
  readonly open: string
  readonly close: string
  readonly inner?: readonly Splice[]
}

/** Adds marks around ranges, and extends the selection to them. A caret stays inside the marks. */
export function wrap(state: TextState, ranges: readonly Wrapping[]): Edit | null {
  const { selectionStart, selectionEnd } = state
  const isCaret = selectionStart === selectionEnd
  const [first, last] = [ranges[0], ranges.at(-1)]
  const from = isCaret ? selectionStart : Math.min(selectionStart, first?.start ?? selectionStart)
  const to = isCaret ? selectionEnd : Math.max(selectionEnd, last?.end ?? selectionEnd)
  const isOnly = first === last && first?.start === from && first.end === to
  const keepsCaret = !isCaret && !isOnly
  return spliced(
    { text: state.text, selectionStart: from, selectionEnd: to },
    ranges.flatMap(({ start, end, open, close, inner = [] }) => [
      { at: start, removed: 0, added: open, keepsCaret },
      ...inner,
      { at: end, removed: 0, added: close, keepsCaret: !keepsCaret },
    ]),
  )
}

/** Omits fenced code, addresses of links, and backslashes that would escape a mark. */
function piecesOf(state: TextState, style: InlineStyle): Piece[] {
  const { text } = state
  const range = inlineRange(state)
  const lines = inlinePieces(text, range)
  const code = fencedBlocks(text)
  let next = 0
  const outside = (lines ?? [range]).filter((piece) => {
    while ((code[next]?.end ?? piece.start) < piece.start) next++
    // In one line, empty marks such as `~~~~` can look like a fence, so only the code is omitted.
    const start = lines === null ? code[next]?.from : code[next]?.start
    return (start ?? Infinity) > piece.start && !isInAddress(text, piece)
  })
  return outside
    .flatMap((line) => (style.byWord ? wordsOf(text, line) : [withEdges(text, line)]))
    .map((piece) => ({ ...piece, marks: removeMarks(text, piece, style) }))
    .filter(({ end, marks }) => marks.length > 0 || !isEscaped(text, end))
}

function wordsOf(text: string, { start, end }: Range): Range[] {
  const words = Array.from(text.slice(start, end).matchAll(/\S+/g), ({ 0: word, index }) => {
    return { start: start + index, end: start + index + word.length }
  })
  return words.length === 0 ? [{ start, end }] : words
}

/** Adjusts a range so that Markdown recognizes marks at its edges. Keeps escapes whole. */
function withEdges(text: string, range: Range): Range {
  const last = range.end - range.start > 1 && isEscaped(text, range.end) ? range.end - 1 : range.end
  const content = text.slice(range.start, last)
  const isWhole = isBetweenEdges(text, { start: range.start, end: last })
  const from = isWhole ? 0 : (OUTER_BEFORE.exec(content)?.[0].length ?? 0)
  const to = isWhole ? content.length : content.search(OUTER_AFTER)
  // A range that contains only punctuation is not shortened.
  const start = range.start + (from < to ? from : 0)
  const end = range.start + (from < to ? to : content.length)
  return {
    start: isEscaped(text, start) ? start - 1 : start,
    end: end < range.start + content.length && isEscaped(text, end) ? end + 1 : end,
  }
}

/** Returns whether white space, punctuation or text ends surround a range, so all marks work. */
function isBetweenEdges(text: string, { start, end }: Range): boolean {
  const before = text.slice(Math.max(0, start - 2), start)
  return ENDS_AT_EDGE.test(before) && BEGINS_AT_EDGE.test(text.slice(end, end + 2))
}

function markFor(text: string, range: Range, { characters, size }: InlineStyle): string {
  const [mark = '', other] = characters
  if (size === 2 || other === undefined) return mark.repeat(size)
  // Inside a word or next to another underscore, an underscore is not emphasis.
  const isBeside = text[range.start - 1] === other || text[range.end] === other
  return isBetweenEdges(text, range) && !isBeside ? other : mark
}

/** Marks each piece. If marks of the style touch a piece, merges them into the new marks. */
function addMarks(state: TextState, pieces: readonly Range[], style: InlineStyle): Edit | null {
  const { text } = state
  const wrappings = pieces.map((piece) => {
    const spans = [
      ...spansAt(text, piece, style),
      // `~~~` would begin a code block, so strikethrough and subscript replace each other.
      ...(style.characters === '~'
        ? layersAt(text, piece).filter(({ character }) => character === '~')
        : []),
    ]
    const start = Math.min(piece.start, ...spans.map((span) => span.start - span.size))
    const end = Math.max(piece.end, ...spans.map((span) => span.end + span.size))
    const mark = markFor(text, { start, end }, style)
    const inner = spans.flatMap((span) => cutAround(span, span.size))
    return { start, end, open: mark, close: mark, inner }
  })
  return wrap(state, wrappings)
}

/** Returns whether a layer of several words begins and ends with different spans: `*a* **b**`. */
function isSplit(text: string, layer: Range, style: InlineStyle): boolean {
  if (!/\s/.test(text.slice(layer.start, layer.end))) return false
  const hasMarks = (one: number, other: number): boolean =>
    /^[*_~=^]*$/.test(text.slice(Math.min(one, other), Math.max(one, other)))
  const ends = ([1, 2] as const).flatMap((size) =>
    spansAt(text, layer, { ...style, size }).map(({ start, end }) => ({
      isOwn: size === style.size,
      opens: hasMarks(start, layer.start),
      closes: hasMarks(end, layer.end),
    })),
  )
  return (
    !ends.some(({ isOwn, opens, closes }) => isOwn && opens && closes) &&
    ends.some(({ opens, closes }) => opens && !closes) &&
    ends.some(({ opens, closes }) => closes && !opens)
  )
}

/**
 * Returns splices that remove the marks at both ends of a piece, or of the spans that cover it. In
 * `**a** b **c**`, the marks at the ends belong to different spans.
 */
function removeMarks(text: string, piece: Range, style: InlineStyle): Splice[] {
  const spans = spansAt(text, piece, style)
  const [first, last] = [spans[0], spans.at(-1)]
  const marks = layersAt(text, piece)
    .filter(({ start, end }) => first === last || first?.start !== start || last?.end !== end)
    .filter((layer) => !isSplit(text, layer, style))
    .flatMap((layer) => cutAround(layer, marksIn(layer.character, layer.size, style)))
    .filter(({ removed }) => removed > 0)
  if (marks.length > 0) return marks
  let plain = ''
  let at = piece.start
  for (const { start, end, size } of spans) {
    plain += text.slice(at, start - size)
    at = end + size
  }
  plain += text.slice(at, piece.end)
  return plain.trim() === '' ? spans.flatMap((span) => cutAround(span, span.size)) : []
}
