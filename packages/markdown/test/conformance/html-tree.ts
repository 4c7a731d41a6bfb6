import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'

export type Node = DefaultTreeAdapterTypes.ChildNode
export type Element = DefaultTreeAdapterTypes.Element
export type Parent = DefaultTreeAdapterTypes.ParentNode

export function parse(html: string): Parent {
  return parseFragment(html)
}

export function isElement(node: Node | Parent): node is Element {
  return 'tagName' in node
}

export function isText(node: Node): node is DefaultTreeAdapterTypes.TextNode {
  return node.nodeName === '#text'
}

export function textOf(node: Parent): string {
  return node.childNodes
    .map((child) => {
      if (isText(child)) return child.value
      return isElement(child) ? textOf(child) : ''
    })
    .join('')
}
