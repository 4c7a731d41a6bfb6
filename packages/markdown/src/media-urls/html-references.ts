import {
  htmlNameEnd,
  isHtmlSpace,
  readAttributes,
  skipHtmlSpace,
} from '../grammar/html-attributes.ts'
import { eachSrcsetUrl } from '../grammar/srcset.ts'
import type { OnReference } from './reference.ts'

/** The attributes that refer to media, by element. */
const references: ReadonlyMap<string, readonly string[]> = new Map([
  ['a', ['href']],
  ['audio', ['src']],
  ['iframe', ['src']],
  ['img', ['src', 'srcset']],
  ['source', ['src', 'srcset']],
  ['video', ['src', 'poster']],
])

/**
 * Reports the references in the attributes of an opening tag.
 *
 * @param from position of its name.
 * @returns the position after the tag; -1 when it has no end.
 */
export function readTagReferences(text: string, from: number, onReference: OnReference): number {
  const nameEnd = htmlNameEnd(text, from)
  const element = text.slice(from, nameEnd).toLowerCase()
  const kind = element === 'a' ? 'anchor' : 'html'
  const wanted = new Set(references.get(element))
  const found: [start: number, end: number][] = []
  const add = (start: number, end: number): void => void found.push([start, end])
  const after = readAttributes(text, nameEnd, (name, start, end) => {
    // Of an attribute that is given twice, the first counts.
    if (!wanted.delete(name)) return
    if (name === 'srcset') eachSrcsetUrl(text, start, end, add)
    else trim(text, start, end, add)
  })
  if (after !== -1) for (const [start, end] of found) onReference(kind, start, end)
  return after
}

function trim(
  text: string,
  from: number,
  to: number,
  onUrl: (start: number, end: number) => void,
): void {
  const start = skipHtmlSpace(text, from)
  let end = to
  while (end > start && isHtmlSpace(text.charCodeAt(end - 1))) end--
  if (end > start) onUrl(start, end)
}
