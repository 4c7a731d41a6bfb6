import { MARKS } from './blocks.ts'
import { attributeOf, type HtmlElement } from './html-tree.ts'
import { namesLanguage } from './read-code.ts'
import { marksOf } from './read-marks.ts'
import type { Inherited, Source } from './source.ts'
import type { Declarations } from './styles.ts'
import { safeUrl } from './urls.ts'

/** Returns the properties that the children of an element inherit. */
export function inherit(
  element: HtmlElement,
  styles: Declarations,
  around: Inherited,
  isBlock: boolean,
): Inherited {
  const space = styles.get('white-space')
  const isHeading = /^(?:h[1-6]|th)$/.test(element.name)
  const marks = marksOf(element, styles, around.marks, isBlock)
  return {
    ...around,
    marks: isHeading ? marks & ~MARKS.strong : marks,
    // Google Docs sets `pre` on all list items, where it has no effect.
    pre:
      space === undefined || element.name === 'li'
        ? around.pre
        : /^(?:pre|break-spaces)/.test(space),
    classes: namesLanguage(element)
      ? `${around.classes} ${attributeOf(element, 'class')}`
      : around.classes,
  }
}

/** Where the text of an element leads to. */
export function linkOf(element: HtmlElement, inner: Inherited, source: Source): string | null {
  return element.name === 'a' ? (safeLink(element, source) ?? inner.link) : inner.link
}

function safeLink(element: HtmlElement, { origin }: Source): string | null {
  const url = safeUrl(attributeOf(element, 'href'), 'link', origin)
  // A footnote of our own that is not pasted along.
  return url === null || /#user-content-/.test(url) ? null : url
}
