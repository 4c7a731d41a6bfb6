import { MARKS } from './blocks.ts'
import { attributeOf, type HtmlElement } from './html-tree.ts'
import { namesLanguage } from './read-code.ts'
import type { Inherited, Source } from './source.ts'
import { type Declarations, isCodeFont } from './styles.ts'
import { safeUrl } from './urls.ts'

const BY_NAME: Readonly<Record<string, number>> = {
  b: MARKS.strong,
  strong: MARKS.strong,
  i: MARKS.em,
  em: MARKS.em,
  cite: MARKS.em,
  dfn: MARKS.em,
  var: MARKS.em,
  s: MARKS.del,
  strike: MARKS.del,
  del: MARKS.del,
  mark: MARKS.mark,
  sub: MARKS.sub,
  sup: MARKS.sup,
  kbd: MARKS.kbd,
  ins: MARKS.ins,
  code: MARKS.code,
  tt: MARKS.code,
  samp: MARKS.code,
}

const RAISED = MARKS.sub | MARKS.sup

/** Returns the marks of the text in an element: inherited, by its name, by its style. */
export function marksOf(
  element: HtmlElement,
  styles: Declarations,
  around: number,
  isBlock: boolean,
): number {
  const own = Object.hasOwn(BY_NAME, element.name) ? (BY_NAME[element.name] ?? 0) : 0
  let marks = around | own
  marks = set(marks, MARKS.strong, isBold(styles.get('font-weight')))
  marks = set(marks, MARKS.em, isItalic(styles.get('font-style')))
  if (/line-through/.test(`${styles.get('text-decoration')} ${styles.get('text-decoration-line')}`))
    marks |= MARKS.del
  if (isBlock) return marks
  const raised = styles.get('vertical-align')
  if (raised === 'sub' || raised === 'super')
    marks = (marks & ~RAISED) | (raised === 'sub' ? MARKS.sub : MARKS.sup)
  if (isHighlight(styles)) marks |= MARKS.mark
  if (
    isCodeFont(styles) ||
    (element.name === 'font' && isCodeFont(new Map([['font-family', face(element)]])))
  ) {
    marks |= MARKS.code
  }
  return marks
}

function set(marks: number, mark: number, on: boolean | null): number {
  return on === null ? marks : on ? marks | mark : marks & ~mark
}

function isBold(weight: string | undefined): boolean | null {
  if (weight === undefined) return null
  if (/^(?:bold|bolder)\b/.test(weight)) return true
  if (/^(?:normal|lighter)\b/.test(weight)) return false
  return /^\d{1,4}\b/.test(weight) ? Number.parseInt(weight, 10) >= 600 : null
}

function isItalic(style: string | undefined): boolean | null {
  if (style === undefined) return null
  return /^(?:italic|oblique)/.test(style) ? true : /^normal/.test(style) ? false : null
}

/** Word says so; of other programs only plain yellow counts, as every page has some background. */
function isHighlight(styles: Declarations): boolean {
  const highlight = styles.get('mso-highlight')
  if (highlight !== undefined) return highlight !== 'none'
  const background = (styles.get('background-color') ?? styles.get('background') ?? '').replace(
    /\s/g,
    '',
  )
  return /^(?:yellow|#ff0|#ffff00|rgb\(255,255,0\))$/.test(background)
}

function face(element: HtmlElement): string {
  return attributeOf(element, 'face').toLowerCase()
}

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
