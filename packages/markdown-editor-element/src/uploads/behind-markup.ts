import {
  autolinkEnd,
  isEscape,
  matchDestination,
  skipSpaces,
  tagEnd,
  tagNameEnd,
  titleEnd,
} from '@quillgate/markdown/grammar'
import { lineEnd, lineStart, type Range } from '../commands/selection.ts'

/**
 * Moves an offset to the end of the HTML tag, player, picture or link address around it, because
 * inserting there would break the markup.
 *
 * @example behindMarkup('![a](/a.png) b', 7) // 12
 */
export function behindMarkup(text: string, offset: number): number {
  const from = lineStart(text, offset)
  for (const { start, end } of wholeParts(text.slice(from, lineEnd(text, offset)))) {
    if (from + start < offset && offset < from + end) return from + end
  }
  return offset
}

/** The parts of a line that must not be split, from inner to outer. */
function* wholeParts(line: string): Generator<Range> {
  const open: number[] = []
  for (let at = 0; at < line.length; at++) {
    let end = -1
    if (isEscape(line, at)) at++
    else if (line[at] === '[') open.push(at)
    else if (line[at] === '<') {
      end = elementEnd(line, at)
      if (end !== -1) yield { start: at, end }
    } else if (line[at] === ']') {
      const label = open.pop()
      end = label === undefined || line[at + 1] !== '(' ? -1 : addressEnd(line, at + 2)
      if (label !== undefined && end !== -1) yield { start: partStart(line, label, at, end), end }
    }
    if (end !== -1) at = end - 1
  }
}

/** Pictures and placeholders stay whole. In other links, only the part after the label does. */
function partStart(line: string, label: number, close: number, end: number): number {
  if (line[label - 1] === '!') return label - 1
  return end === close + 3 ? label : close
}

/** The position after the tag, player or autolink at `from`; -1 if there is none. */
function elementEnd(line: string, from: number): number {
  const end = tagEnd(line, from)
  if (end === -1) return autolinkEnd(line, from)
  const name = line.slice(from + 1, tagNameEnd(line, from + 1)).toLowerCase()
  if (name !== 'video' && name !== 'audio') return end
  let next = line.indexOf('<', end)
  while (isEscape(line, next - 1)) next = line.indexOf('<', next + 1)
  return next !== -1 && line.startsWith(`</${name}>`, next) ? next + name.length + 3 : end
}

/** The position after the `)` of the link address at `from`; -1 if there is none. */
function addressEnd(line: string, from: number): number {
  const destination = matchDestination(line, skipSpaces(line, from))
  if (destination === null) return -1
  const title = titleEnd(line, skipSpaces(line, destination.after))
  const close = skipSpaces(line, title === -1 ? destination.after : title)
  return line[close] === ')' ? close + 1 : -1
}
