import { escapeHtml } from '@quillgate/markdown/grammar'
import type { Inherited, Source } from './blocks.ts'
import { MARKS, type Run } from './blocks.ts'
import { attributeOf, findElement, type HtmlElement, hasClass, textOf } from './html-tree.ts'
import { BREAK } from './runs.ts'
import { imageMarkdown, safeUrl } from './urls.ts'

const PLAYER =
  /^https:\/\/(?:www\.youtube(?:-nocookie)?\.com\/embed\/|player\.vimeo\.com\/video\/|codepen\.io\/)\S+$/

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
    case 'video':
      return readVideo(element, source)
    case 'iframe': {
      const url = attributeOf(element, 'src')
      return PLAYER.test(url) ? toRun(url, null) : null
    }
    case 'math': {
      // Pages add the source of a formula for copying.
      const source = findElement(
        element,
        (each) => attributeOf(each, 'encoding') === 'application/x-tex',
      )
      return source === null
        ? 'inside'
        : { ...toRun(textOf(source).trim(), inner.link), kind: 'text', marks: MARKS.code }
    }
    case 'input':
    case 'rp':
      return null
    case 'sup':
      if (hasClass(element, /^reference$/)) return null // References of Wikipedia, whose notes are not pasted.
      return isFootnote(element) && source.footnotes ? readFootnote(element) : 'inside'
    case 'a':
      return isBackReference(element) ? null : 'inside'
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
  const [width = '', height = ''] = ['width', 'height'].map((name) =>
    sizeOf(attributeOf(element, name)),
  )
  // Tracking pixels are invisible.
  if (url === null || (width === '1' && height === '1')) return null
  return toRun(imageMarkdown(url, alt, width, height), link)
}

function readVideo(element: HtmlElement, { origin }: Source): Run | null {
  const url = safeUrl(attributeOf(element, 'src'), 'media', origin)
  if (url === null) return null
  const width = sizeOf(attributeOf(element, 'width'))
  const size = width === '' ? '' : ` width="${width}"`
  return toRun(
    `<video src="${escapeHtml(url)}" controls${size}>${escapeHtml(textOf(element).trim())}</video>`,
    null,
  )
}

function sizeOf(value: string): string {
  return /^\d{1,5}%?$/.exec(value.trim().replace(/px$/, ''))?.[0] ?? ''
}

function isFootnote(element: HtmlElement): boolean {
  if (hasClass(element, /^footnote-ref$/)) return true
  return element.children.some(
    (child) => typeof child !== 'string' && child.attributes.has('data-footnote-ref'),
  )
}

function readFootnote(element: HtmlElement): Run | 'inside' {
  const [number] = /\d{1,6}/.exec(textOf(element)) ?? []
  return number === undefined ? 'inside' : toRun(`[^${number}]`, null)
}

function isBackReference(element: HtmlElement): boolean {
  return hasClass(element, /^footnote-backref$/) || element.attributes.has('data-footnote-backref')
}

function toRun(text: string, link: string | null): Run {
  return { kind: 'markdown', text, marks: 0, link }
}
