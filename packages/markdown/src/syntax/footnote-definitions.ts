import type { StateBlock } from 'markdown-it'
import { notesOf } from '../document/environment.ts'

const definition = /\[\^([^\s[\]]{1,100})\]:[ \t]*/y

/**
 * The block rule for `[^label]: text`; lines that are indented by four belong to it too.
 */
export function readDefinition(
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean,
): boolean {
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0)
  definition.lastIndex = start
  const match = definition.exec(state.src)
  if (match === null || start + match[0].length > (state.eMarks[startLine] ?? 0)) return false
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false
  if (silent) return true
  const label = state.md.utils.normalizeReference(match[1] ?? '')
  notesOf(state.env).footnotes.add(label)
  state.push('footnote_open', '', 1).meta = { label }
  readContent(state, startLine, endLine, start + match[0].length)
  state.push('footnote_close', '', -1)
  return true
}

// The first line begins behind the colon, the others four columns further in: the parser is told so for a while.
function readContent(state: StateBlock, line: number, endLine: number, contentStart: number): void {
  const { blkIndent, parentType } = state
  const before = [
    state.bMarks[line] ?? 0,
    state.tShift[line] ?? 0,
    state.sCount[line] ?? 0,
  ] as const
  state.bMarks[line] = contentStart
  state.tShift[line] = 0
  state.blkIndent += 4
  state.sCount[line] = state.blkIndent
  state.parentType = 'footnote'
  state.md.block.tokenize(state, line, endLine)
  Object.assign(state, { blkIndent, parentType })
  ;[state.bMarks[line], state.tShift[line], state.sCount[line]] = before
}
