import { attributeOf, type HtmlElement } from './html-tree.ts'

/** Declarations by their property, both in lower case. */
export type Declarations = ReadonlyMap<string, string>

/** Rules for elements and classes: `td` or `.xl65`. */
export type StyleSheet = ReadonlyMap<string, Declarations>

// All that matters to markdown. Fewer properties also keep what each element costs small.
const PROPERTIES: ReadonlySet<string> = new Set(
  (
    'background background-color display font-family font-style font-weight mso-hide mso-highlight ' +
    'mso-list text-align text-decoration text-decoration-line vertical-align visibility white-space'
  ).split(' '),
)

/** Reads the rules of a style sheet that are for one element name or one class. */
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

/** The declarations of an element from a style sheet and its own attribute. */
export function declarationsOf(element: HtmlElement, sheet: StyleSheet): Declarations {
  const own = attributeOf(element, 'style')
  const classes = attributeOf(element, 'class')
  const ruled = sheet.size > 0
  if (own === '' && !ruled) return NONE
  const declarations = new Map<string, string>(ruled ? sheet.get(element.name) : undefined)
  if (ruled && classes !== '') {
    for (const name of classes.split(/\s+/, 20)) {
      for (const [property, value] of sheet.get(`.${name}`) ?? []) declarations.set(property, value)
    }
  }
  for (const [property, value] of readDeclarations(own)) declarations.set(property, value)
  return declarations
}

const NONE: Declarations = new Map()

function readDeclarations(css: string): Declarations {
  const declarations = new Map<string, string>()
  for (const part of css.split(';')) {
    const colon = part.indexOf(':')
    const property = part.slice(0, colon).trim().toLowerCase()
    const value = part.slice(colon + 1)
    if (colon > 0 && PROPERTIES.has(property))
      declarations.set(property, value.trim().toLowerCase())
  }
  return declarations
}

/** True when nothing of the element is seen. */
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

/** True for a monospace font. Only the first choice counts, because fallbacks vary. */
export function isCodeFont(styles: Declarations): boolean {
  return CODE_FONT.test((styles.get('font-family') ?? '').split(',', 1)[0] ?? '')
}

/** True for text that keeps its lines and may be set in a font for code. */
export function isCodeLayout(styles: Declarations): boolean {
  return (
    /^pre\b/.test(styles.get('white-space') ?? '') &&
    CODE_FONT.test(styles.get('font-family') ?? '')
  )
}
