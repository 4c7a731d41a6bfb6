import { isWhitespace, skipSpaces, skipWhitespace } from '../grammar/characters.ts'
import { labelEnd, matchDestination, normalizeLabel, titleEnd } from '../grammar/link-parts.ts'
import type { Content } from './source-lines.ts'

/** A link reference definition: where its URL is in the document. */
export interface Definition {
  readonly start: number
  readonly end: number
}

/** The definitions of a document by normalized label. The first of a label counts. */
export type Definitions = Map<string, Definition>

/**
 * Takes the link reference definitions from the beginning of a paragraph.
 *
 * @returns the position in `content` after them.
 */
export function takeDefinitions(content: Content, definitions: Definitions): number {
  let position = 0
  for (;;) {
    const after = takeDefinition(content, position, definitions)
    if (after === -1) return position
    position = after
  }
}

/** Position after the definition and its line at `from`; -1 when there is none. */
function takeDefinition(
  { text, toSource }: Content,
  from: number,
  definitions: Definitions,
): number {
  const start = skipWhitespace(text, from)
  if (text[start] !== '[') return -1
  const colon = labelEnd(text, start)
  if (colon === -1 || text[colon] !== ':') return -1
  const label = normalizeLabel(text.slice(start + 1, colon - 1))
  const url = skipWhitespace(text, colon + 1)
  const destination = url === text.length ? null : matchDestination(text, url)
  if (label === '' || destination === null || destination.after === url) return -1
  const after = definitionEnd(text, destination.after)
  if (after === -1 || definitions.has(label)) return after
  const last = destination.end - 1
  definitions.set(label, { start: toSource(destination.start), end: toSource(last) + 1 })
  return after
}

/** After the destination a title may follow; when more than that is on its line, it is no title. */
function definitionEnd(text: string, from: number): number {
  const title = skipWhitespace(text, from)
  const afterTitle = title > from ? titleEnd(text, title) : -1
  const end = afterTitle === -1 ? -1 : lineEnd(text, afterTitle)
  return end === -1 ? lineEnd(text, from) : end
}

/** Position after the line ending that only spaces and tabs precede; -1 when something else does. */
function lineEnd(text: string, from: number): number {
  const position = skipSpaces(text, from)
  if (position === text.length) return position
  if (!isWhitespace(text.charCodeAt(position))) return -1
  return text.startsWith('\r\n', position) ? position + 2 : position + 1
}
