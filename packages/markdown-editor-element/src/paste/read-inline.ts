import { BREAK, type Inherited, MARKS, type Run, type Source } from './blocks.ts'
import { attributeOf, findElement, type HtmlElement, hasClass, textOf } from './html-tree.ts'
import { imageMarkdown, safeUrl } from './urls.ts'

const EMOJI = /^\p{Extended_Pictographic}(?:\p{M}|\u200d|\p{Extended_Pictographic})*$/u

/** Reads an inline element: as a run, as nothing, or as its content. */
export function readInline(
  element: HtmlElement,
  inner: Inherited,
  source: Source,
): Run | 'inside' | null {
  switch (element.name) {
    case 'br':
      return hasClass(element, /^Apple-interchange-newline$/) ? null : BREAK
    case 'img':
      return readImage(element, inner, source)
    case 'math': {
      // Pages add the source of a formula for copying.
      const isTex = (each: HtmlElement): boolean =>
        attributeOf(each, 'encoding') === 'application/x-tex'
      const tex = findElement(element, isTex)
      if (tex === null) return 'inside'
      return { kind: 'text', text: textOf(tex).trim(), marks: MARKS.code, link: inner.link }
    }
    case 'input':
    case 'rp':
      return null
    case 'sup':
      // References of Wikipedia, whose notes are not pasted.
      return hasClass(element, /^reference$/) ? null : 'inside'
    default:
      return attributeOf(element, 'aria-hidden') === 'true' || hasClass(element, /^mw-editsection$/)
        ? null
        : 'inside'
  }
}

function readImage(element: HtmlElement, { link }: Inherited, { origin }: Source): Run | null {
  const alt = attributeOf(element, 'alt').replace(/\s+/g, ' ').trim()
  if (alt !== '' && (hasClass(element, /emoji/i) || EMOJI.test(alt))) {
    return { kind: 'text', text: alt, marks: 0, link }
  }
  const url = safeUrl(attributeOf(element, 'src'), 'media', origin)
  const isPixel = ['width', 'height'].every((name) => attributeOf(element, name) === '1')
  if (url === null || isPixel) return null // Tracking pixels are invisible.
  return { kind: 'markdown', text: imageMarkdown(url, alt), marks: 0, link }
}
