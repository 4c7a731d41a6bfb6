import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'

/** A node of a tree that a browser would build. */
export type Node = DefaultTreeAdapterTypes.ChildNode
/** An element of such a tree. */
export type Element = DefaultTreeAdapterTypes.Element
/** A node that has children. */
export type Parent = DefaultTreeAdapterTypes.ParentNode

/** Parses HTML as a browser parses the content of an element. */
export function parse(html: string): Parent {
  return parseFragment(html)
}

/** Tells whether a node is an element. */
export function isElement(node: Node | Parent): node is Element {
  return 'tagName' in node
}

/** Tells whether a node is text. */
export function isText(node: Node): node is DefaultTreeAdapterTypes.TextNode {
  return node.nodeName === '#text'
}

/** The text below a node. */
export function textOf(node: Parent): string {
  return node.childNodes
    .map((child) => {
      if (isText(child)) return child.value
      return isElement(child) ? textOf(child) : ''
    })
    .join('')
}
