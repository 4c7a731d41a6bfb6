/** An element of pasted HTML, as inert data. */
export interface HtmlElement {
  /** The tag name in lower case. */
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: HtmlNode[]
}

/** An element or a text. */
export type HtmlNode = HtmlElement | string

/** Pasted HTML: its elements and the text of its style sheets. */
export interface HtmlTree {
  readonly root: HtmlElement
  readonly css: string
}

/** The properties of a DOM node that {@link readTree} reads. */
export interface DomNode {
  readonly nodeName: string
  readonly nodeType: number
  readonly nodeValue: string | null
  readonly firstChild: DomNode | null
  readonly nextSibling: DomNode | null
  readonly attributes?: ArrayLike<{ readonly name: string; readonly value: string }>
}

// The content of deeper elements is moved up to this depth.
const MAX_DEPTH = 120
const ELEMENT = 1
const TEXT = 3
const UNSHOWN: ReadonlySet<string> = new Set(
  (
    'audio button canvas datalist embed iframe link map meta noframes noscript object progress script select ' +
    'style svg template textarea title video xml'
  ).split(' '),
)

// A character that is added to names so that the browser does not recognize them. Without it, a
// Content-Security-Policy would report `style` attributes even in an inert document.
const HIDDEN = '\ue000'
// The element that replaces `style`. Browsers also parse its content as text, but do not apply it.
const SHEET = 'noframes'

// Matches tags of formatting elements. If such an element is open when a block ends, browsers open
// the element again in the next block. This can multiply the number of elements.
const FORMATTING = /(<\/?(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u))(?=[\s/>])/gi

/**
 * Renames style elements, style attributes and formatting elements, so that the browser gives them
 * no meaning. {@link readTree} reads the renamed markup. Adds a body that also contains comments,
 * because browsers take quadratic time for comments outside of the body.
 */
export function renameParts(html: string): string {
  const renamed = html
    .replace(/(<\/?)style(?=[\s/>])/gi, `$1${SHEET}`)
    .replace(/(?<=[\s"'/])style(?=\s*=)/gi, `${HIDDEN}$&`)
    .replace(FORMATTING, `$1${HIDDEN}`)
    .replace(/<\/html(?=[\s/>])/gi, '</body')
  return `<body>${renamed}`
}

function originalOf(text: string): string {
  return text.replaceAll(HIDDEN, '')
}

/** Copies a document without hidden elements. Does not recurse, because it can be very deep. */
export function readTree(document: DomNode): HtmlTree {
  const root: HtmlElement = { name: 'body', attributes: new Map(), children: [] }
  const css: string[] = []
  const open: [node: DomNode | null, parent: HtmlElement, depth: number][] = []
  open.push([document.firstChild, root, 0])
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, parent, depth] = next
    if (node === null) continue
    const copy = copyNode(node, parent, css)
    open.push([node.nextSibling, parent, depth])
    if (copy !== null) open.push([node.firstChild, depth < MAX_DEPTH ? copy : parent, depth + 1])
  }
  return { root, css: css.join('\n') }
}

function copyNode(node: DomNode, target: HtmlElement, css: string[]): HtmlElement | null {
  if (node.nodeType === TEXT) target.children.push(originalOf(node.nodeValue ?? ''))
  if (node.nodeType !== ELEMENT) return null
  const name = originalOf(node.nodeName).toLowerCase()
  if (name === SHEET) css.push(node.firstChild?.nodeValue ?? '')
  if (UNSHOWN.has(name)) return null
  const attributes = Array.from(node.attributes ?? [], ({ name, value }) => {
    return [originalOf(name).toLowerCase(), originalOf(value)] as const
  })
  const copy: HtmlElement = { name, attributes: new Map(attributes), children: [] }
  target.children.push(copy)
  return copy
}

/** Returns the value of an attribute, or `''`. */
export function attributeOf(element: HtmlElement, name: string): string {
  return element.attributes.get(name) ?? ''
}

/** Returns whether an element has a class that matches a pattern. */
export function hasClass(element: HtmlElement, pattern: RegExp): boolean {
  const classes = element.attributes.get('class')?.split(/\s+/) ?? []
  return classes.some((name) => pattern.test(name))
}

// Elements that code editors use for lines of code.
const LINES: ReadonlySet<string> = new Set(['div', 'p', 'li', 'tr'])

/** Returns the text of a node, line by line, without collapsing white space. */
export function textOf(node: HtmlNode): string {
  const parts: string[] = []
  addText(node, parts)
  return parts.join('')
}

function addText(node: HtmlNode, parts: string[]): void {
  if (typeof node === 'string' && node !== '') parts.push(node)
  if (typeof node === 'string') return
  if (node.name === 'br') parts.push('\n')
  for (const child of node.children) {
    const isLine = typeof child !== 'string' && LINES.has(child.name)
    if (isLine) endLine(parts)
    addText(child, parts)
    if (isLine) endLine(parts)
  }
}

function endLine(parts: string[]): void {
  if (parts.length > 0 && !parts.at(-1)?.endsWith('\n')) parts.push('\n')
}

/** Returns the first element in a node that passes a test, in document order, or null. */
export function findElement(
  node: HtmlNode,
  test: (element: HtmlElement) => boolean,
): HtmlElement | null {
  if (typeof node === 'string') return null
  if (test(node)) return node
  for (const child of node.children) {
    const found = findElement(child, test)
    if (found !== null) return found
  }
  return null
}
