import { isInCodeBlock } from './code-block.ts'
import type { TextState } from './edit.ts'
import { type Line, selectedLines } from './lines.ts'

/**
 * True where Tab is not for leaving the field: in a list item, or with several lines selected; for Shift+Tab (`back`) only
 * where there is something to take back.
 */
export function takesTab(state: TextState, back = false): boolean {
  const lines = selectedLines(state)
  const takes = lines.length > 1 || isItem(state.text, lines[0])
  return takes && (!back || lines.some(({ column }) => column > 0))
}

/** True for a line that begins a list item, and not in a code block. */
export function isItem(text: string, line: Line | undefined): line is Line {
  return line !== undefined && line.bullet !== '' && !isInCodeBlock(text, line)
}
