import type { BlockContent } from 'mdast'
import { attributeOf, type HtmlElement, type HtmlNode } from './html-tree.ts'
import { MARKS } from './inlines.ts'
import { safeUrl } from './urls.ts'

/** The context of a conversion, which all elements of the pasted document share. */
export interface Source {
  readonly sheet: StyleSheet
  /** The origin of the current page. It is removed from addresses. */
  readonly origin: string
  /** Reads the content of a list, a quote, a heading or a table. */
  read(nodes: readonly HtmlNode[], inherited: Inherited): BlockContent[]
}

/** The properties that an element inherits. */
export interface Inherited {
  readonly marks: number
  /** The address that the text links to, as Markdown. */
  readonly link: string | null
  /** Whether line feeds are shown as line breaks. */
  readonly pre: boolean
  /** The number of nested calls of `Source.read`. */
  readonly depth: number
  /** The programming language that the nearest ancestor names, or `''`. */
  readonly language: string
}

/** The inherited properties of the body. */
export const ROOT: Inherited = { marks: 0, link: null, pre: false, depth: 0, language: '' }

/** CSS values by property, both in lower case. */
export type Declarations = ReadonlyMap<string, string>

/** The declarations of each selector that is an element name or a class: `td` or `.xl65`. */
export type StyleSheet = ReadonlyMap<string, Declarations>

// The CSS properties that affect the Markdown. The others are skipped, because this is faster.
const PROPERTIES: ReadonlySet<string> = new Set(
  (
    'background background-color display font-family font-style font-weight mso-hide mso-highlight ' +
    'mso-list text-align text-decoration text-decoration-line vertical-align visibility white-space'
  ).split(' '),
)

/** Reads rules for an element name or a class. Reads `p.a` as `.a`. Ignores other rules. */
export function readStyleSheet(css: string): StyleSheet {
  const sheet = new Map<string, Declarations>()
  for (const rule of css.replaceAll('<!--', '').replaceAll('-->', '').split('}')) {
    const brace = rule.lastIndexOf('{')
    if (brace === -1) continue
    const declarations = readDeclarations(rule.slice(brace + 1))
    if (declarations.size === 0) continue
    for (const selector of rule.slice(0, brace).split(',')) {
      const key = /^[a-z][\w-]*(?=\.|$)|^(?=\.)/i.exec(selector.trim())
      const name = key === null ? '' : selector.trim().slice(key[0].length) || key[0].toLowerCase()
      if (/^\.?[\w-]+$/.test(name))
        sheet.set(name, new Map([...(sheet.get(name) ?? []), ...declarations]))
    }
  }
  return sheet
}

/** Returns the declarations of an element from the style sheet and its `style` attribute. */
export function declarationsOf(element: HtmlElement, sheet: StyleSheet): Declarations {
  const declarations = new Map(sheet.get(element.name))
  const classes = sheet.size === 0 ? [] : attributeOf(element, 'class').split(/\s+/, 20)
  const own = readDeclarations(attributeOf(element, 'style'))
  for (const ruled of [...classes.map((name) => sheet.get(`.${name}`) ?? []), own])
    for (const [property, value] of ruled) declarations.set(property, value)
  return declarations
}

function readDeclarations(css: string): Declarations {
  const declarations = new Map<string, string>()
  for (const part of css.toLowerCase().split(';')) {
    const [property = '', ...value] = part.split(':')
    if (PROPERTIES.has(property.trim())) declarations.set(property.trim(), value.join(':').trim())
  }
  return declarations
}

/** Returns whether styles hide an element. */
export function isHidden(styles: Declarations): boolean {
  return (
    styles.get('display') === 'none' ||
    styles.get('visibility') === 'hidden' ||
    styles.get('mso-hide') === 'all' ||
    styles.get('mso-list') === 'ignore'
  )
}

const CODE_FONT =
  /\b(?:mono|monospace|monaco|menlo|consolas|courier|code|hack|iosevka|inconsolata)\b/

/** Returns whether an element is a `pre`, or a `div` that editors and terminals use instead. */
export function isPreformatted({ name }: HtmlElement, styles: Declarations): boolean {
  if (name !== 'div') return name === 'pre'
  const [space = '', font = ''] = [styles.get('white-space'), styles.get('font-family')]
  return /^pre\b/.test(space) && CODE_FONT.test(font)
}

const BY_NAME: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...MARKS,
    b: MARKS.strong,
    dt: MARKS.strong,
    i: MARKS.em,
    cite: MARKS.em,
    dfn: MARKS.em,
    var: MARKS.em,
    s: MARKS.del,
    strike: MARKS.del,
    tt: MARKS.code,
    samp: MARKS.code,
  }),
)

// Only the first font of a list counts, because fallback fonts vary.
const FIRST_CODE_FONT = new RegExp(`^[^,]*${CODE_FONT.source}`)
const YELLOW = /^(?:yellow|#ff0|#ffff00|rgb\(255, ?255, ?0\))$/

type StyleRule = readonly [property: string, mark: number, adds: RegExp, removes?: RegExp]

const STYLE_RULES: readonly StyleRule[] = [
  ['font-weight', MARKS.strong, /^(?:bold|[6-9]\d\d\b)/, /^(?:normal|lighter|[1-5]\d\d\b)/],
  ['font-style', MARKS.em, /^(?:italic|oblique)/, /^normal/],
  ['text-decoration', MARKS.del, /line-through/],
  ['text-decoration-line', MARKS.del, /line-through/],
]

/** The rules that do not apply to blocks. */
const INLINE_STYLE_RULES: readonly StyleRule[] = [
  ['vertical-align', MARKS.sub, /^sub$/, /^super$/],
  ['vertical-align', MARKS.sup, /^super$/, /^sub$/],
  ['background', MARKS.mark, YELLOW],
  ['background-color', MARKS.mark, YELLOW],
  ['mso-highlight', MARKS.mark, /^(?!none)/, /^none/],
  ['font-family', MARKS.code, FIRST_CODE_FONT],
]

function marksOf(
  element: HtmlElement,
  styles: Declarations,
  around: number,
  isBlock: boolean,
): number {
  let marks = around | (BY_NAME.get(element.name) ?? 0)
  const rules = isBlock ? STYLE_RULES : [...STYLE_RULES, ...INLINE_STYLE_RULES]
  for (const [property, mark, adds, removes] of rules) {
    const value = styles.get(property)
    if (value !== undefined && adds.test(value)) marks |= mark
    else if (value !== undefined && removes?.test(value)) marks &= ~mark
  }
  const face = element.name === 'font' ? attributeOf(element, 'face') : ''
  return FIRST_CODE_FONT.test(face.toLowerCase()) ? marks | MARKS.code : marks
}

/** Returns the properties that the children of an element inherit. */
export function inherit(
  element: HtmlElement,
  styles: Declarations,
  around: Inherited,
  isBlock: boolean,
  { origin }: Source,
): Inherited {
  const { name } = element
  const marks = marksOf(element, styles, around.marks, isBlock)
  const isHeading = /^(?:h[1-6]|th)$/.test(name)
  // Google Docs sets `pre` on all list items, where it has no effect.
  const space = name === 'li' ? undefined : styles.get('white-space')
  const url = name === 'a' ? safeUrl(attributeOf(element, 'href'), 'link', origin) : null
  // Links to footnotes of our renderer are removed, because the footnotes are not pasted.
  const isLink = url !== null && !url.includes('#user-content-')
  return {
    ...around,
    marks: isHeading ? marks & ~MARKS.strong : marks,
    link: isLink ? url : around.link,
    pre: space === undefined ? around.pre : /^(?:pre|break-spaces)/.test(space),
    language: languageOf(element) || around.language,
  }
}

/** Returns the programming language that an element names, or `''`. */
export function languageOf(element: HtmlElement): string {
  const [, listed] =
    /(?:^|\s)(?:language-|lang-|brush:\s?|highlight-(?:source|text)-)([\w+#-]{1,30})/.exec(
      attributeOf(element, 'class'),
    ) ?? []
  // On other elements, these attributes may name a natural language.
  const isCode = element.name === 'pre' || element.name === 'code'
  const named = attributeOf(element, 'data-lang') || attributeOf(element, 'data-language')
  const language = ((isCode && named) || listed || '').toLowerCase().replace(/-basic$/, '')
  const isText = /^(?:none|plain|plaintext|text|txt)$/.test(language)
  return isText || !/^[\w+#-]+$/.test(language) ? '' : language
}
