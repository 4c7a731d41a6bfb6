import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'

/** A node of a tree as a browser builds it. */
export type Node = DefaultTreeAdapterTypes.ChildNode
/** An element of a tree as a browser builds it. */
export type Element = DefaultTreeAdapterTypes.Element
/** A node that has children. */
export type Parent = DefaultTreeAdapterTypes.ParentNode

/** Parses HTML as a browser parses the content of an element. */
export function parse(html: string): Parent {
  return parseFragment(html)
}

/** Returns true if a node is an element. */
export function isElement(node: Node | Parent): node is Element {
  return 'tagName' in node
}

/** Returns true if a node is text. */
export function isText(node: Node): node is DefaultTreeAdapterTypes.TextNode {
  return node.nodeName === '#text'
}

/** Returns the text of all descendants of a node. */
export function textOf(node: Parent): string {
  return node.childNodes
    .map((child) => {
      if (isText(child)) return child.value
      return isElement(child) ? textOf(child) : ''
    })
    .join('')
}
