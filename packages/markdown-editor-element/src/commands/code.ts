import { type Edit, type Splice, spliced, type TextState, type ToggleCommand } from './edit.ts'
import { wrap } from './inline.ts'
import {
  containerOf,
  type FencedBlock,
  fencedBlocks,
  type Range,
  readLine,
} from './line-grammar.ts'
import { isInAddress } from './link-spans.ts'
import { CODE, cutAround, isEscaped, nearby, runLength } from './marks.ts'
import { inlineRange, lineRange } from './selection.ts'

/** The range of a code span's content. `size` counts the backticks and spaces on each side. */
interface CodeSpan extends Range {
  readonly size: number
}

/** Fences the selected lines as a code block, or removes the fences around them. */
export const codeBlock: ToggleCommand = {
  run: (state) => {
    const lines = lineRange(state)
    const block = codeBlockAround(state.text, lines)
    return block === undefined ? fence(state, withFences(state.text, lines)) : unfence(state, block)
  },
  isActive: (state) => codeBlockAround(state.text, lineRange(state)) !== undefined,
}

/** Returns the code block that contains all lines of a range. Its fences are part of the block. */
export function codeBlockAround(text: string, { start, end }: Range): FencedBlock | undefined {
  return fencedBlocks(text).find((block) => block.start <= start && end <= block.end)
}

/** Extends a range of lines so that it fully includes every code block that it touches. */
export function withFences(text: string, { start, end }: Range): Range {
  const cut = fencedBlocks(text).filter((block) => block.start <= end && block.end >= start)
  return {
    start: Math.min(start, ...cut.map((block) => block.start)),
    end: Math.max(end, ...cut.map((block) => block.end)),
  }
}

function fence(state: TextState, { start, end }: Range): Edit | null {
  const content = state.text.slice(start, end)
  const mark = containerOf(content) + '`'.repeat(Math.max(3, longestTicks(content) + 1))
  return spliced(state, [
    { at: start, removed: 0, added: `${mark}\n` },
    { at: end, removed: 0, added: `\n${mark}`, keepsCaret: true },
  ])
}

function unfence(state: TextState, { start, end, from, to }: FencedBlock): Edit | null {
  const { bullet, content } = readLine(state.text, start)
  // After a list marker, the first line of the code replaces the fence.
  const code = readLine(state.text, from)
  const at = bullet === '' ? start : content
  const inside = bullet === '' ? 0 : Math.min(code.mark - from, content - start, to - from)
  return spliced(state, [
    { at, removed: from + inside - at, added: '' },
    { at: to, removed: end - to, added: '' },
  ])
}

function longestTicks(text: string): number {
  let longest = 0
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length)
  return longest
}

/** Adds or removes backticks around the selection. For several lines, runs `codeBlock`. */
export const code: ToggleCommand = {
  run: (state) => {
    if (isMultiLine(state)) return codeBlock.run(state)
    const ticks = ticksAt(state)
    return ticks.length > 0 ? spliced(state, ticks) : addTicks(state)
  },
  isActive: (state) => (isMultiLine(state) ? codeBlock.isActive(state) : ticksAt(state).length > 0),
}

function isMultiLine(state: TextState): boolean {
  const { start, end } = inlineRange(state)
  return state.text.slice(start, end).includes('\n')
}

/** If the code begins or ends with a backtick, adds spaces (CommonMark 0.31, section 6.1). */
function addTicks(state: TextState): Edit | null {
  const range = inlineRange(state)
  if (isInAddress(state.text, range) || isInBlock(state)) return null
  if (isEscaped(state.text, range.start)) return null // The backticks would not be a mark.
  const content = state.text.slice(range.start, range.end)
  const fence = '`'.repeat(longestTicks(content) + 1)
  const space = needsSpace(content) ? ' ' : ''
  return wrap(state, [{ ...range, open: fence + space, close: space + fence }])
}

/** Returns splices that remove the backticks at the selection, or of the code span around it. */
function ticksAt(state: TextState): Splice[] {
  const { text } = state
  const selected = inlineRange(state)
  const isEmpty = /^(?:``+)?$/.test(text.slice(selected.start, selected.end))
  const middle = (selected.start + selected.end) >> 1
  const range = isEmpty ? { start: middle, end: middle } : selected
  const { start, end } = range
  if (isInBlock(state)) return []
  for (const space of needsSpace(text.slice(start, end)) ? [1, 0] : [0]) {
    const isSpaced = space === 0 || (text[start - 1] === ' ' && text[end] === ' ')
    const before = runLength(text, start - space, '`', -1)
    const ticks = Math.min(before, runLength(text, end + space, '`', 1))
    if (isSpaced && ticks > 0) return cutAround(range, space + ticks)
  }
  const span =
    codeSpanAround(text, range, range) ?? codeSpanAround(text, range, nearby(text, range))
  return span === null ? [] : cutAround(span, span.size)
}

/** Returns whether the selection is in the code of a block, not in the line of its opening fence. */
function isInBlock({ text, selectionStart, selectionEnd }: TextState): boolean {
  const block = codeBlockAround(text, { start: selectionStart, end: selectionEnd })
  return block !== undefined && block.from <= selectionStart
}

/** Searches `area` for the code span around a range. A caret must be inside the backticks. */
export function codeSpanAround(text: string, range: Range, area: Range): CodeSpan | null {
  for (const { 0: source, index, groups } of text.slice(area.start, area.end).matchAll(CODE)) {
    const fence = groups?.['fence']?.length ?? 0
    const edge = range.start === range.end ? fence : 0
    const start = area.start + index
    const end = start + source.length
    if (fence === 0 || range.start < start + edge || range.end > end - edge) continue
    const content = source.slice(fence, -fence)
    const isSpaced = /^ .* $/s.test(content) && needsSpace(content.slice(1, -1))
    const size = fence + (isSpaced ? 1 : 0)
    return { start: start + size, end: end - size, size }
  }
  return null
}

function needsSpace(content: string): boolean {
  return content.startsWith('`') || content.endsWith('`')
}
