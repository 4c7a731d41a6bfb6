import type { ViewNode } from '../list/view-node.ts'

const SVG = 'http://www.w3.org/2000/svg'

/** Creates DOM nodes without parsing HTML, so that pages need no Trusted Types policy. */
export function toDom(node: ViewNode, isInSvg = false): Node {
  if (typeof node === 'string') return document.createTextNode(node)
  const { name, attributes, children } = node
  const inSvg = isInSvg || name === 'svg'
  const element = inSvg ? document.createElementNS(SVG, name) : document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(key, value === true ? '' : value)
  }
  element.append(...children.map((child) => toDom(child, inSvg)))
  return element
}

/** Dispatches an event that bubbles. Returns false if a listener cancelled it. */
export function dispatch(host: EventTarget, name: string, detail: object): boolean {
  return host.dispatchEvent(
    new CustomEvent(name, { bubbles: true, cancelable: true, composed: true, detail }),
  )
}

/** Creates the DOM nodes of a view whose root is an HTML element. See {@link toDom}. */
export function toElement(node: ViewNode): HTMLElement {
  return toDom(node) as HTMLElement
}
