import { type Edit, spliced, type TextState, type ToggleCommand } from './edit.ts'
import { containerOf } from './lines.ts'
import { lineRange, type Range } from './selection.ts'

/** A fenced code block: its opening fence begins at `start`, its content is `[from, to)`, it ends at `end`. */
export interface FencedBlock extends Range {
  readonly from: number
  readonly to: number
}

// https://spec.commonmark.org/0.31.2/#fenced-code-blocks, inside any quote marks and indentation
const FENCE = /^(?:[ \t]*>)*[ \t]*(?:(`{3,})[^`]*|(~{3,}).*)$/s

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

/** All fenced blocks of a text, in their order; one without a closing fence goes on to the end. */
export function fencedBlocks(text: string): FencedBlock[] {
  const blocks: FencedBlock[] = []
  if (!/`{3}|~{3}/.test(text)) return blocks
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

/** The length of the longest run of back quotes. */
export function longestTicks(text: string): number {
  return Array.from(text.matchAll(/`+/g)).reduce(
    (longest, [run]) => Math.max(longest, run.length),
    0,
  )
}
