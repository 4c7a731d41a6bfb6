import { applyEdit, type Command, type Edit, editBetween, type TextState } from './edit.ts'
import { containerOf } from './lines.ts'
import { lineRange, type Range } from './selection.ts'

/** A fenced code block: its opening fence begins at `start`, its content is `[from, to)`, it ends at `end`. */
export interface FencedBlock extends Range {
  readonly from: number
  readonly to: number
}

// https://spec.commonmark.org/0.31.2/#fenced-code-blocks, inside any quote marks and indentation
const FENCE = /^(?:[ \t]*>[ \t]?)*[ \t]*(?:(`{3,})[^`]*|(~{3,}).*)$/

/** Puts the selected lines into a code block, or takes the fences away when they are in one. */
export const codeBlock: Command = (state) => {
  const lines = lineRange(state)
  const blocks = fencedBlocks(state.text).filter((block) => block.start <= lines.end && block.end >= lines.start)
  const [block] = blocks
  if (block !== undefined && isIn(lines, block)) return editBetween(state, unfence(state, block))
  const start = Math.min(lines.start, ...blocks.map((each) => each.start))
  const end = Math.max(lines.end, ...blocks.map((each) => each.end))
  return editBetween(state, applyEdit(state, fence(state, { start, end })))
}

/** True when the selected lines are in a code block. */
export function isCodeBlock(state: TextState): boolean {
  const lines = lineRange(state)
  return fencedBlocks(state.text).some((block) => isIn(lines, block))
}

function isIn(lines: Range, block: FencedBlock): boolean {
  return block.start <= lines.start && lines.end <= block.end
}

function fence(state: TextState, { start, end }: Range): Edit {
  const content = state.text.slice(start, end)
  const container = containerOf(content)
  const longest = Math.max(2, ...Array.from(content.matchAll(/`+/g), ([run]) => run.length))
  const mark = container + '`'.repeat(longest + 1)
  const shift = mark.length + 1
  return {
    start,
    end,
    insert: `${mark}\n${content}\n${mark}`,
    selectionStart: state.selectionStart + shift,
    selectionEnd: state.selectionEnd + shift,
  }
}

function unfence(state: TextState, { start, end, from, to }: FencedBlock): TextState {
  const moved = (offset: number): number => Math.min(Math.max(offset, from), to) - (from - start)
  return {
    text: state.text.slice(0, start) + state.text.slice(from, to) + state.text.slice(end),
    selectionStart: moved(state.selectionStart),
    selectionEnd: moved(state.selectionEnd),
  }
}

/** All fenced blocks of a text, in their order; one without a closing fence goes on to the end. */
export function fencedBlocks(text: string): FencedBlock[] {
  const blocks: FencedBlock[] = []
  let open: { start: number; from: number; mark: string } | null = null
  let offset = 0
  for (const line of text.split('\n')) {
    const next = offset + line.length + 1
    const mark = fenceOf(line)
    if (open === null) {
      if (mark !== '') open = { start: offset, from: next, mark }
    } else if (mark.startsWith(open.mark) && line.trimEnd().endsWith(mark)) {
      blocks.push({
        start: open.start,
        from: open.from,
        to: Math.max(open.from, offset - 1),
        end: offset + line.length,
      })
      open = null
    }
    offset = next
  }
  if (open !== null) {
    const end = text.length
    blocks.push({ start: open.start, from: Math.min(open.from, end), to: end, end })
  }
  return blocks
}

function fenceOf(line: string): string {
  const [, ticks, tildes] = FENCE.exec(line) ?? []
  return ticks ?? tildes ?? ''
}
