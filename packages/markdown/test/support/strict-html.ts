export interface Element {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: (Element | string)[]
}

const voidElements: ReadonlySet<string> = new Set(['br', 'hr', 'wbr', 'img', 'source', 'input'])
const grammar = /<(\/?)([a-z][a-z0-9]*)((?: [a-z][a-z-]*(?:="[^"<>]*")?)*)>|[^<>]+/y
const attribute = / ([a-z][a-z-]*)(?:="([^"<>]*)")?/g

/**
 * Parses rendered HTML with a strict parser that shares no code with the renderer. Throws for a
 * stray `<`, an attribute without quotes, an unknown character reference or an unbalanced tag.
 */
export function parseStrictly(html: string): Element {
  const root: Element = { name: '#root', attributes: new Map(), children: [] }
  const stack: Element[] = [root]
  let position = 0
  while (position < html.length) {
    grammar.lastIndex = position
    const match = grammar.exec(html)
    if (match === null)
      throw new Error(`Not well-formed at ${position}: ${html.slice(position, position + 80)}`)
    position = grammar.lastIndex
    const [text, slash, name, attributes = ''] = match
    if (name === undefined) stack.at(-1)!.children.push(decode(text))
    else if (slash === '/') {
      const open = stack.pop()
      if (open?.name !== name) throw new Error(`</${name}> closes <${open?.name}>`)
    } else {
      const element: Element = { name, attributes: readAttributes(attributes), children: [] }
      stack.at(-1)!.children.push(element)
      if (!voidElements.has(name)) stack.push(element)
    }
  }
  if (stack.length !== 1) throw new Error(`<${stack.at(-1)!.name}> is not closed`)
  return root
}

export function descendants(element: Element): Element[] {
  return element.children.flatMap((child) =>
    typeof child === 'string' ? [] : [child, ...descendants(child)],
  )
}

export function all(element: Element, name: string): Element[] {
  return descendants(element).filter((candidate) => candidate.name === name)
}

export function textOf(element: Element): string {
  return element.children
    .map((child) => (typeof child === 'string' ? child : textOf(child)))
    .join('')
}

function readAttributes(source: string): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name = '', value = ''] of source.matchAll(attribute)) {
    if (attributes.has(name)) throw new Error(`Attribute ${name} twice`)
    attributes.set(name, decode(value))
  }
  return attributes
}

const references: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
])

function decode(text: string): string {
  return text.replace(/&[^;\s]*;?/g, (reference) => {
    const character = references.get(reference)
    if (character === undefined) throw new Error(`Unknown character reference ${reference}`)
    return character
  })
}
