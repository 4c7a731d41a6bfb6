import { MARKS } from './blocks.ts'
import { attributeOf, type HtmlElement } from './html-tree.ts'
import { type Declarations, isCodeFont } from './styles.ts'

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

/**
 * Returns the marks of the text in an element: the inherited ones, those of its name, then those of
 * its style.
 */
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
