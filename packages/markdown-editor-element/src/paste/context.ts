import { CodeSpans, fencedBlocks } from '@quillgate/markdown/grammar'
import type { TextState } from '../commands/edit.ts'
import { lineStart } from '../commands/selection.ts'

/** True where markdown is not read: in a block or span of code, or in the destination of a link. */
export function isLiteral(state: TextState): boolean {
  return isInFence(state) || isInIndentedCode(state) || isInSpan(state) || isInDestination(state)
}

/** True in the label of a link that has a destination. */
export function isInLabel({ text, selectionStart, selectionEnd }: TextState): boolean {
  const { before, after } = aroundInLine(text, selectionStart, selectionEnd)
  const open = before.lastIndexOf('[')
  return open !== -1 && !before.slice(open).includes(']') && /^[^[\]]*\](?:\(|\[)/.test(after)
}

/** True in a row of a table, between its pipes. */
export function isInCell({ text, selectionStart, selectionEnd }: TextState): boolean {
  const { before, after } = aroundInLine(text, selectionStart, selectionEnd)
  return /^[ \t>]*\|/.test(before) && after.includes('|')
}

function isInFence({ text, selectionStart, selectionEnd }: TextState): boolean {
  return fencedBlocks(text).some((block) => {
    const isOpen = block.to === block.end
    const inside =
      selectionStart >= block.from &&
      selectionEnd <= (isOpen ? block.end : Math.max(block.from, block.to))
    // On the line of the opening fence stands the language.
    return inside || (selectionStart > block.start && selectionEnd < block.from)
  })
}

/** Lines indented by four, after an empty line and not in a list. */
function isInIndentedCode({ text, selectionStart }: TextState): boolean {
  let start = lineStart(text, selectionStart)
  if (!/^(?: {4}|\t)/.test(text.slice(start, start + 4))) return false
  for (let lines = 0; start > 0 && lines < 1000; lines++) {
    const previous = lineStart(text, start - 1)
    const line = text.slice(previous, start - 1)
    if (line.trim() !== '' && !/^(?: {4}|\t)/.test(line)) return false
    if (line.trim() === '') return !isBehindList(text, previous)
    start = previous
  }
  return start === 0
}

/** Whether what stands before an offset ends with a list: its items go on with indented lines. */
function isBehindList(text: string, offset: number): boolean {
  for (let end = offset - 1; end > 0; ) {
    const start = lineStart(text, end)
    const line = text.slice(start, end)
    if (/^[ \t>]*(?:[-*+]|\d{1,9}[.)]|\[\^[^\]]*\]:)(?:\s|$)/.test(line)) return true
    if (/^\S/.test(line)) return false
    end = start - 1
  }
  return false
}

function isInSpan({ text, selectionStart, selectionEnd }: TextState): boolean {
  const from = Math.max(0, text.lastIndexOf('\n\n', selectionStart - 1) + 1)
  const until = text.indexOf('\n\n', selectionEnd)
  const paragraph = text.slice(from, until === -1 ? text.length : until)
  const spans = new CodeSpans(paragraph)
  for (let at = 0; at < paragraph.length; at++) {
    if (from + at >= selectionEnd) return false
    if (paragraph[at] === '\\') at++
    else if (paragraph[at] === '`') {
      const end = spans.end(at)
      const fence = /^`*/.exec(paragraph.slice(at, end))?.[0].length ?? 0
      const isSpan = fence < end - at
      if (isSpan && selectionStart >= from + at + fence && selectionEnd <= from + end - fence)
        return true
      at = end - 1
    }
  }
  return false
}

function isInDestination({ text, selectionStart, selectionEnd }: TextState): boolean {
  const { before, after } = aroundInLine(text, selectionStart, selectionEnd)
  return /\]\([^\s()]*$/.test(before) && /^[^\s()]*[)\s]/.test(`${after}\n`)
}

function aroundInLine(
  text: string,
  start: number,
  end: number,
): { readonly before: string; readonly after: string } {
  const next = text.indexOf('\n', end)
  return {
    before: text.slice(lineStart(text, start), start),
    after: text.slice(end, next === -1 ? text.length : next),
  }
}
