import {
  html,
  parse,
  parseFragment,
  serialize,
  type DefaultTreeAdapterTypes as Tree,
  defaultTreeAdapter as tree,
} from 'parse5'
import { judgeElement } from './expected-elements.ts'

/** The start and the end of a page around rendered HTML, which is in the element with the id "container". */
type Page = readonly [before: string, after: string]

// Elements that applications put texts into. A tag that a block of rendered HTML leaves open, or closes too often, changes
// a different part of each.
const pages: Readonly<Record<string, Page>> = {
  'a block': ['<main><div id="container">', '</div><p id="after">b</p></main><footer>c</footer>'],
  'a table cell': [
    '<table><tbody><tr><td id="container">',
    '</td><td id="after">b</td></tr></tbody></table><p>c</p>',
  ],
  'a list item': ['<ul><li id="container">', '</li><li id="after">b</li></ul><p>c</p>'],
  'a quote': ['<blockquote id="container">', '</blockquote><p id="after">b</p>'],
}

// Comments change nothing for a parser; where they are found says whether everything between them is in the container.
const start = '<!--start-->'
const end = '<!--end-->'

const emptied: ReadonlyMap<string, string> = new Map(
  Object.entries(pages).map(([name, [before, after]]) => [
    name,
    serialize(parse(toPage(before, after))),
  ]),
)

/**
 * Says what is wrong with rendered HTML when a page holds it, by the parser of the HTML standard (parse5, which the
 * renderer doesn't use); an empty list when it is safe.
 *
 * - every node of it is in its container, and the page around is what it is with an empty container
 * - its elements are HTML elements of the list, there are no comments
 * - it is read the same in every page, as `innerHTML`, and once more after being written out (no mutation)
 *
 * @param rendered - what a renderer gave
 */
export function judgeInPages(rendered: string): string[] {
  const fragment = asInnerHtml(rendered)
  const problems = judgeNodes(fragment)
  const written = serialize(fragment)
  const again = serialize(asInnerHtml(written))
  if (withoutLineEnds(again) !== withoutLineEnds(written))
    problems.push('other HTML when written out and read')
  for (const [name, [before, after]] of Object.entries(pages)) {
    const document = parse(toPage(before + start + rendered + end, after))
    const container = findContainer(document)
    if (container === null) return [...problems, `${name}: no container`]
    if (serialize(container) !== start + written + end)
      problems.push(`${name}: other HTML than as innerHTML`)
    container.childNodes = []
    if (serialize(document) !== emptied.get(name))
      problems.push(`${name}: the page around it is another one`)
  }
  return problems
}

function asInnerHtml(content: string): Tree.DocumentFragment {
  return parseFragment(tree.createElement('div', html.NS.HTML, []), content, {})
}

function toPage(before: string, after: string): string {
  return `<!DOCTYPE html><html><head><title>a</title></head><body>${before}${after}</body></html>`
}

function judgeNodes(parent: Tree.ParentNode): string[] {
  return parent.childNodes.flatMap((node) => {
    if (tree.isTextNode(node)) return []
    if (!tree.isElementNode(node)) return [`node ${node.nodeName}`]
    const problems =
      node.namespaceURI === html.NS.HTML ? [] : [`element ${node.tagName} of another namespace`]
    const attributes = new Map(node.attrs.map(({ name, value }) => [name, value]))
    return [...problems, ...judgeElement(node.tagName, attributes), ...judgeNodes(node)]
  })
}

function findContainer(parent: Tree.ParentNode): Tree.Element | null {
  for (const node of parent.childNodes) {
    if (!tree.isElementNode(node)) continue
    if (tree.getAttrList(node).some(({ name, value }) => name === 'id' && value === 'container'))
      return node
    const found = findContainer(node)
    if (found !== null) return found
  }
  return null
}

// A parser drops the line feed behind <pre>, so each round takes one away; and it reads a carriage return as a line feed.
function withoutLineEnds(written: string): string {
  return written.replaceAll('\r', '\n').replace(/(<pre(?: [^\s=]+="[^"]*")*>)\n+/g, '$1')
}
