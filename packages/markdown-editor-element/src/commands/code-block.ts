import { containerOf, type FencedBlock, fencedBlocks } from '@quillgate/markdown/grammar'
import { type Edit, spliced, type TextState, type ToggleCommand } from './edit.ts'
import { lineRange, type Range } from './selection.ts'

/** Puts the selected lines into a code block, or takes the fences away when they are in one. */
export const codeBlock: ToggleCommand = {
  run: (state) => {
    const lines = lineRange(state)
    const blocks = fencedBlocks(state.text).filter(
      (block) => block.start <= lines.end && block.end >= lines.start,
    )
    const [block] = blocks
    if (block !== undefined && isIn(lines, block)) return unfence(state, block)
    const start = Math.min(lines.start, ...blocks.map((each) => each.start))
    const end = Math.max(lines.end, ...blocks.map((each) => each.end))
    return fence(state, { start, end })
  },
  isActive: (state) => isInCodeBlock(state.text, lineRange(state)),
}

/** True when a range of lines is in a code block, fences included. */
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
  return spliced(state, [
    { at: start, removed: from - start, added: '' },
    { at: to, removed: end - to, added: '' },
  ])
}

/** The length of the longest run of back quotes. */
export function longestTicks(text: string): number {
  return Array.from(text.matchAll(/`+/g)).reduce(
    (longest, [run]) => Math.max(longest, run.length),
    0,
  )
}
