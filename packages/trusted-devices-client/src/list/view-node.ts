/** A piece of a page that is no text yet and no DOM either: the server writes it, the browser makes elements of it. */
export interface ViewElement {
  readonly name: string
  /** `true` gives a bare attribute; null and false none. */
  readonly attributes: ViewAttributes
  readonly children: readonly ViewNode[]
}

/** Attributes by their names. */
export type ViewAttributes = Readonly<Record<string, string | boolean | null>>

/** Text, or an element. */
export type ViewNode = string | ViewElement

/** Makes an element; children that are null are left out. */
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

/** Writes HTML. Every text and every value is escaped; names are ours. */
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
