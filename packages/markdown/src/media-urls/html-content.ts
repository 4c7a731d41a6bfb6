import { isLetter } from '../grammar/characters.ts'
import { tagNameEnd } from '../grammar/html-tag.ts'
import { textElements } from '../grammar/text-elements.ts'
import { readTagReferences } from './html-references.ts'
import { RawHtml } from './raw-html.ts'
import type { OnReference } from './reference.ts'

const opening = /<(?:\?|!(?:--|\[CDATA\[|[a-z]))/iy

/**
 * Finds the references of a piece of HTML. As in the renderer, a tag is what CommonMark's grammar takes for one;
 * comments and the content of scripts have no references, and a comment without an end hides the rest.
 */
export function scanHtml(text: string, onReference: OnReference): void {
  const rawHtml = new RawHtml(text)
  const textEnds = new TextEnds(text)
  let position = text.indexOf('<')
  while (position !== -1) {
    let after = rawHtml.end(position)
    if (after === -1) {
      opening.lastIndex = position
      if (opening.test(text)) return
      after = position + 1
    } else if (isLetter(text.charCodeAt(position + 1))) {
      readTagReferences(text, position + 1, onReference)
      after = textEnds.find(
        text.slice(position + 1, tagNameEnd(text, position + 1)).toLowerCase(),
        after,
      )
    }
    position = text.indexOf('<', after)
  }
}

/** Finds the ends of elements whose content is text. Asked from left to right, it misses each kind of end only once. */
class TextEnds {
  readonly #text: string
  readonly #missing = new Set<string>()

  constructor(text: string) {
    this.#text = text
  }

  /** Position after the end tag of such an element, whose content begins at `from`; without one, or of others, `from`. */
  find(element: string, from: number): number {
    if (!textElements.has(element) || this.#missing.has(element)) return from
    const endTag = new RegExp(`</${element}\\s*>`, 'gi')
    endTag.lastIndex = from
    if (endTag.test(this.#text)) return endTag.lastIndex
    this.#missing.add(element)
    return from
  }
}
