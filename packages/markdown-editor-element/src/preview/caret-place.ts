import type { TextState } from '../commands/edit.ts'
import type { BlockView, ShownBlock } from './block-view.ts'

/** From where to where something is in the window. */
export interface Place {
  readonly top: number
  readonly bottom: number
}

// A line of the text takes one row at least, and about so many characters have room in one.
const COLUMNS = 70

// How far a guess may be wrong, in CSS pixels: about two rows.
const DOUBT = 48

/** Returns the place of the block that begins with an element, else the place of the element. */
export function placeOfBlock(
  view: BlockView,
  element: Element,
): Place & { readonly block: ShownBlock | null } {
  const block = view.blocks.find(({ nodes }) => nodes?.includes(element as ChildNode)) ?? null
  const last = block?.nodes?.findLast((node) => node instanceof Element) ?? element
  return {
    block,
    top: element.getBoundingClientRect().top,
    bottom: last.getBoundingClientRect().bottom,
  }
}

/** Guesses where the caret is in a block, by the share of its source; null if it is elsewhere. */
export function placeOfCaret(
  view: BlockView,
  block: ShownBlock,
  box: Place,
  text: TextState,
): Place | null {
  const caret = text.selectionEnd
  const start = offsetOf(text.text, block.line)
  const next = view.blocks.find(({ line }) => line > block.line)
  const source = text.text.slice(
    start,
    next === undefined ? undefined : offsetOf(text.text, next.line),
  )
  if (caret < start || caret > start + source.length) return null
  const before = source.slice(0, caret - start)
  const lineStart = before.lastIndexOf('\n') + 1
  const all = sizeOf(source.trimEnd())
  const share = Math.min(
    (sizeOf(before.slice(0, lineStart)) + before.length - lineStart) / Math.max(all, 1),
    1,
  )
  return around(box.top + (box.bottom - box.top) * share, box)
}

function around(top: number, box: Place): Place {
  return { top: Math.max(top - DOUBT, box.top), bottom: Math.min(top + DOUBT, box.bottom) }
}

/** Estimates the room that lines take, in characters. */
function sizeOf(source: string): number {
  if (source === '') return 0
  const lines = source.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.reduce((sum, { length }) => sum + Math.max(length, COLUMNS), 0)
}

function offsetOf(text: string, line: number): number {
  let offset = 0
  for (let count = 0; count < line; count++) {
    const end = text.indexOf('\n', offset)
    if (end === -1) return text.length
    offset = end + 1
  }
  return offset
}
