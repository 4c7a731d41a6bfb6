/**
 * The description of an element. The server converts it to HTML. The browser converts it to DOM
 * nodes.
 */
export interface ViewElement {
  readonly name: string
  /** `true` sets an attribute without a value. Null and false leave the attribute out. */
  readonly attributes: ViewAttributes
  readonly children: readonly ViewNode[]
}

/** Attributes by name. */
export type ViewAttributes = Readonly<Record<string, string | boolean | null>>

/** Text or an element. */
export type ViewNode = string | ViewElement

/** Creates the description of an element. Leaves out children that are null. */
export function view(
  name: string,
  attributes: ViewAttributes = {},
  ...children: readonly (ViewNode | null)[]
): ViewElement {
  return { name, attributes, children: children.filter((child) => child !== null) }
}

const VOID = ['input', 'path']
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Renders HTML. Texts and attribute values are escaped. Names of elements and attributes are not
 * escaped, because they come from this package.
 */
export function toHtml(node: ViewNode): string {
  if (typeof node === 'string') return escapeText(node)
  const { name, attributes, children } = node
  const written = Object.entries(attributes).map(([key, value]) => {
    if (value === null || value === false) return ''
    return value === true ? ` ${key}` : ` ${key}="${escapeText(value)}"`
  })
  const start = `<${name}${written.join('')}>`
  return VOID.includes(name) ? start : `${start}${children.map(toHtml).join('')}</${name}>`
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}
