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
import { byPlace, CODE, cutAround, nearby, runLength } from './marks.ts'
import { inlineRange, lineRange } from './selection.ts'

/** Fences the selected lines as a code block, or removes the fences around them. */
export const codeBlock: ToggleCommand = {
  run: (state) => {
    const lines = lineRange(state)
    const block = fencedBlocks(state.text).find((each) => isIn(lines, each))
    return block === undefined ? fence(state, withFences(state.text, lines)) : unfence(state, block)
  },
  isActive: (state) => isInCodeBlock(state.text, lineRange(state)),
}

/** Extends a range of lines so that it fully includes every code block that it touches. */
export function withFences(text: string, { start, end }: Range): Range {
  const cut = fencedBlocks(text).filter((block) => block.start <= end && block.end >= start)
  return {
    start: Math.min(start, ...cut.map((block) => block.start)),
    end: Math.max(end, ...cut.map((block) => block.end)),
  }
}

/** Returns whether all lines of a range are in one code block or are its fences. */
export function isInCodeBlock(text: string, lines: Range): boolean {
  return fencedBlocks(text).some((block) => isIn(lines, block))
}

function isIn(lines: Range, block: FencedBlock): boolean {
  return block.start <= lines.start && lines.end <= block.end
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
  // After a list mark, the first line of the code replaces the fence.
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

/** Marks the selection as code, or removes the marks. Several lines become a code block. */
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

/**
 * Encloses the selection in backticks. Adds inner spaces if the code begins or ends with a backtick
 * (CommonMark 0.31, section 6.1).
 */
function addTicks(state: TextState): Edit | null {
  const range = inlineRange(state)
  if (isInAddress(state.text, range)) return null
  const content = state.text.slice(range.start, range.end)
  const fence = '`'.repeat(longestTicks(content) + 1)
  const space = needsSpace(content) ? ' ' : ''
  return wrap(state, [{ ...range, open: fence + space, close: space + fence }])
}

/**
 * Returns the splices that remove the backticks at both ends of the selection. If there are none,
 * returns those for the code span that contains the selection.
 */
function ticksAt(state: TextState): Splice[] {
  const { text } = state
  const { start, end } = inlineRange(state)
  const content = text.slice(start, end)
  const ticks = [0, 1].flatMap((space) => {
    const isSpaced =
      space === 0 || (needsSpace(content) && text[start - 1] === ' ' && text[end] === ' ')
    const around = Math.min(
      runLength(text, start - space, '`', -1),
      runLength(text, end + space, '`', 1),
    )
    return isSpaced && around > 0 ? cutAround({ start, end }, around + space) : []
  })
  const inside = Math.min(
    runLength(content, 0, '`', 1),
    runLength(content, content.length, '`', -1),
    content.length >> 1,
  )
  if (inside > 0) {
    const inner = content.slice(inside, -inside)
    const size =
      inside +
      (inner.startsWith(' ') && inner.endsWith(' ') && needsSpace(inner.slice(1, -1)) ? 1 : 0)
    ticks.push(...cutAround({ start: start + size, end: end - size }, size))
  }
  return ticks.length > 0 ? ticks.sort(byPlace) : spanAround(text, { start, end })
}

function spanAround(text: string, range: Range): Splice[] {
  const inner = codeSpanAround(text, range, nearby(text, range))
  return inner === null ? [] : cutAround(inner, runLength(text, inner.start, '`', -1))
}

/** Searches `area` for a code span that contains a range. Returns the span's content, or null. */
export function codeSpanAround(text: string, { start, end }: Range, area: Range): Range | null {
  for (const { 0: span, index, groups } of text.slice(area.start, area.end).matchAll(CODE)) {
    const fence = groups?.['fence']?.length ?? 0
    const from = area.start + index + fence
    const to = area.start + index + span.length - fence
    if (fence > 0 && from <= start && end <= to) return { start: from, end: to }
  }
  return null
}

function needsSpace(content: string): boolean {
  return content.startsWith('`') || content.endsWith('`')
}
