import type { Splice } from './edit.ts'
import type { Range } from './line-grammar.ts'
import { lineEnd, lineStart } from './selection.ts'

/** The form of the marks of an inline style, such as `**` for bold. */
export interface InlineStyle {
  readonly characters: string
  readonly size: 1 | 2
  /** True if a marked text cannot contain spaces, so that each word is marked separately. */
  readonly byWord?: boolean
}

/** The range between an opening and a closing mark of `size` equal characters each. */
interface Marks extends Range {
  readonly size: number
  readonly character: string
}

const INLINE_MARKS = '*_~=^'

/** Matches an escaped character, a code span, or unclosed backticks. */
export const CODE = /\\.|(?<fence>`+)(?:[^`]|[^`].*?[^`])\k<fence>(?!`)|`+/gs
const RUN = new RegExp(String.raw`${CODE.source}|(?<mark>[*_~=])\k<mark>*`, 'gs')

// The number of code units that are searched for marks on each side of a selection.
const FAR = 500

/** Returns the splices that remove `size` characters before and after a range. */
export function cutAround({ start, end }: Range, size: number): Splice[] {
  return [
    { at: start - size, removed: size, added: '' },
    { at: end, removed: size, added: '' },
  ]
}

/** Returns how often a character is repeated before (`step` -1) or after (`step` 1) an offset. */
export function runLength(text: string, offset: number, character: string, step: -1 | 1): number {
  let length = 0
  while (text[step === 1 ? offset + length : offset - 1 - length] === character) length++
  return length
}

/** Returns whether a backslash would escape a mark at an offset. */
export function isEscaped(text: string, offset: number): boolean {
  return runLength(text, offset, '\\', -1) % 2 === 1
}

/** Returns how many of `length` consecutive characters `run` belong to marks of a style. */
export function marksIn(run: string, length: number, { characters, size }: InlineStyle): number {
  if (!characters.includes(run)) return 0
  return size === 2 ? length - (length % 2) : length % 2
}

/** Returns the marks of all styles directly outside a range and directly inside its ends. */
export function layersAt(text: string, range: Range): Marks[] {
  return [...layers(text, range, true), ...layers(text, range, false)]
}

/** Yields equal runs of mark characters at both ends of a range, outward or inward. */
function* layers(text: string, range: Range, outward: boolean): Generator<Marks> {
  let { start, end } = range
  const step = outward ? 1 : -1
  for (;;) {
    const character = text[outward ? end : start] ?? ''
    const before = runLength(text, start, character, outward ? -1 : 1)
    const after = runLength(text, end, character, step)
    const size = Math.min(before, after, outward ? before : (end - start) >> 1)
    if (character === '' || !INLINE_MARKS.includes(character) || size === 0) return
    yield outward
      ? { start, end, character, size }
      : { start: start + size, end: end - size, character, size }
    if (before !== after) return
    start -= size * step
    end += size * step
  }
}

/** Extends a range by at most 500 code units on each side, within its first and last line. */
export function nearby(text: string, { start, end }: Range): Range {
  const before = text.slice(Math.max(0, start - FAR), start)
  const after = text.slice(end, end + FAR)
  return {
    start: start - before.length + lineStart(before, before.length),
    end: end + lineEnd(after, 0),
  }
}

/** Finds the marked spans that touch a range, each from an opening mark to the next closing mark. */
export function spansAt(text: string, range: Range, style: InlineStyle): Marks[] {
  if (style.byWord) return []
  const { start: from, end: to } = nearby(text, range)
  const spans: Marks[] = []
  let open = { character: '', start: 0, size: 0 }
  // Ignores code and escaped characters.
  for (const { 0: run, index, groups } of text.slice(from, to).matchAll(RUN)) {
    const character = groups?.['mark']
    const size = character === undefined ? 0 : marksIn(character, run.length, style)
    const end = from + index
    const start = end + run.length
    const [before = '', after = ''] = [text[end - 1], text[start]]
    const isInWord = character === '_' && /\w/.test(before) && /\w/.test(after)
    if (character === undefined || size === 0 || isInWord) continue
    if (open.character === character && /\S/.test(before)) {
      const span = { ...open, end, size: Math.min(open.size, size) }
      if (open.start - span.size < range.end && range.start < end + span.size) spans.push(span)
      open = { character: '', start: 0, size: 0 }
    } else if (/\S/.test(after)) {
      open = { character, start, size }
    }
  }
  return spans
}
