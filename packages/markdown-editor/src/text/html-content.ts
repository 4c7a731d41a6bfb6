import { isLetter } from './characters.ts'
import { htmlNameEnd, readAttributes } from './html-attributes.ts'
import { readTagReferences } from './html-references.ts'
import type { OnReference } from './reference.ts'

/** Elements whose content is text: what looks like a tag in them is none. */
const textElements: ReadonlySet<string> = new Set([
  'iframe',
  'noembed',
  'noframes',
  'plaintext',
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
])

/** Finds the references of a piece of HTML, as browsers read it: comments and the content of scripts have none. */
export function scanHtml(text: string, onReference: OnReference): void {
  let position = text.indexOf('<')
  while (position !== -1) {
    const after = markupEnd(text, position, onReference)
    if (after === -1) return
    position = text.indexOf('<', after)
  }
}

/** Position after the markup that begins with the `<` at `from`; -1 when it has no end. */
function markupEnd(text: string, from: number, onReference: OnReference): number {
  const next = text[from + 1]
  if (isLetter(text.charCodeAt(from + 1))) return elementStartEnd(text, from + 1, onReference)
  if (next === '/' && isLetter(text.charCodeAt(from + 2)))
    return readAttributes(text, htmlNameEnd(text, from + 2), ignore)
  if (text.startsWith('<!--', from)) return commentEnd(text, from + 4)
  if (next === '!' || next === '?' || next === '/') return afterMatch(/>/g, text, from + 2)
  return from + 1
}

/** Position after an opening tag and, of a text element, its content. */
function elementStartEnd(text: string, name: number, onReference: OnReference): number {
  const after = readTagReferences(text, name, onReference)
  const element = text.slice(name, htmlNameEnd(text, name)).toLowerCase()
  if (after === -1 || !textElements.has(element)) return after
  return afterMatch(new RegExp(`</${element}(?=[\\s/>])`, 'gi'), text, after)
}

function commentEnd(text: string, from: number): number {
  if (text[from] === '>') return from + 1
  return text.startsWith('->', from) ? from + 2 : afterMatch(/--!?>/g, text, from)
}

function afterMatch(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : -1
}

function ignore(): void {}
