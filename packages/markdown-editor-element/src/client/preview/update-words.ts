/**
 * Makes nodes equal to others when only words in them are different: that costs browsers less than nodes that come and go.
 *
 * @returns false when more is different; nothing has changed then
 */
export function updateWords(old: readonly Node[], fresh: readonly Node[]): boolean {
  const changes: [Text, string][] = []
  if (!compare(old, fresh, changes)) return false
  for (const [text, data] of changes) text.data = data
  return true
}

function compare(old: ArrayLike<Node>, fresh: ArrayLike<Node>, changes: [Text, string][]): boolean {
  if (old.length !== fresh.length) return false
  return Array.from(old).every((node, index) => {
    const other = fresh[index]
    if (other === undefined || node.nodeName !== other.nodeName) return false
    if (node instanceof Text && other instanceof Text) {
      if (node.data !== other.data) changes.push([node, other.data])
      return true
    }
    const isSame =
      node instanceof Element && other instanceof Element && haveSameAttributes(node, other)
    return isSame && compare(node.childNodes, other.childNodes, changes)
  })
}

function haveSameAttributes(node: Element, other: Element): boolean {
  const names = node.getAttributeNames()
  return (
    names.length === other.attributes.length &&
    names.every((name) => node.getAttribute(name) === other.getAttribute(name))
  )
}
