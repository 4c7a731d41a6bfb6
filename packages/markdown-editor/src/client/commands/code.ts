import { codeBlock, isCodeBlock } from './code-block.ts'
import type { Command, Edit, TextState } from './edit.ts'
import { cutAround, runLength, surround, toggle } from './inline.ts'
import { inlineRange } from './selection.ts'

/** Inline code, or a code block when the selection goes over several lines. */
export const code: Command = (state) => (isMultiLine(state) ? codeBlock(state) : toggle(state, removeTicks, addTicks))

/** True when the selection or the word at the caret is code. */
export function isCode(state: TextState): boolean {
  return isMultiLine(state) ? isCodeBlock(state) : removeTicks(state) !== null
}

function isMultiLine(state: TextState): boolean {
  const { start, end } = inlineRange(state)
  return state.text.slice(start, end).includes('\n')
}

/** Back quotes inside ask for a longer fence, and at the ends for a space: CommonMark 0.31, section 6.1. */
function addTicks(state: TextState): Edit {
  const range = inlineRange(state)
  const content = state.text.slice(range.start, range.end)
  const longest = Math.max(0, ...Array.from(content.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return needsSpace(content) ? surround(state, range, `${fence} `, ` ${fence}`) : surround(state, range, fence)
}

function removeTicks(state: TextState): TextState | null {
  const { start, end } = inlineRange(state)
  return ticksAround(state, start, end) ?? ticksInside(state, start, end)
}

function ticksAround(state: TextState, start: number, end: number): TextState | null {
  const { text } = state
  const spaced = needsSpace(text.slice(start, end)) && text[start - 1] === ' ' && text[end] === ' '
  for (const space of spaced ? [0, 1] : [0]) {
    const ticks = commonTicks(text, start - space, end + space)
    if (ticks > 0) return cutAround(state, start, ticks + space, end, ticks + space)
  }
  return null
}

function ticksInside(state: TextState, start: number, end: number): TextState | null {
  const { text } = state
  const runs = Math.min(runLength(text, start, '`', 1), runLength(text, end, '`', -1), Math.floor((end - start) / 2))
  if (runs === 0) return null
  const content = text.slice(start + runs, end - runs)
  const space = /^ .*[^ ].* $/s.test(content) && needsSpace(content.slice(1, -1)) ? 1 : 0
  return cutAround(state, start + runs + space, runs + space, end - runs - space, runs + space)
}

function commonTicks(text: string, left: number, right: number): number {
  return Math.min(runLength(text, left, '`', -1), runLength(text, right, '`', 1))
}

function needsSpace(content: string): boolean {
  return content.startsWith('`') || content.endsWith('`')
}
