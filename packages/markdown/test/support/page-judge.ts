import {
  html,
  parse,
  parseFragment,
  serialize,
  type DefaultTreeAdapterTypes as Tree,
  defaultTreeAdapter as tree,
} from 'parse5'
import { judgeElement } from './expected-elements.ts'

/** The HTML of a page before and after the rendered HTML. The element "container" encloses it. */
type Page = readonly [before: string, after: string]

// Elements into which applications put texts. There are several, because an unbalanced tag, such as
// `</td>` or `</li>`, breaks only some of these pages.
const pages: Readonly<Record<string, Page>> = {
  'a block': ['<main><div id="container">', '</div><p id="after">b</p></main><footer>c</footer>'],
  'a table cell': [
    '<table><tbody><tr><td id="container">',
    '</td><td id="after">b</td></tr></tbody></table><p>c</p>',
  ],
  'a list item': ['<ul><li id="container">', '</li><li id="after">b</li></ul><p>c</p>'],
  'a quote': ['<blockquote id="container">', '</blockquote><p id="after">b</p>'],
}

// Comments do not affect parsing. Their positions show whether all nodes between them are in the
// container.
const start = '<!--start-->'
const end = '<!--end-->'

const emptied: ReadonlyMap<string, string> = new Map(
  Object.entries(pages).map(([name, [before, after]]) => [
    name,
    serialize(parse(toPage(before, after))),
  ]),
)

/**
 * Returns the problems of rendered HTML inside of pages, or an empty list for safe HTML. Parses the
 * pages with parse5, which implements the HTML standard and which the renderer does not use.
 *
 * - All nodes must be in the container. The rest of the page must not change.
 * - All elements must be in the list of allowed HTML elements. There must be no comments.
 * - Every page, `innerHTML`, and a second parse of the serialized HTML must give the same nodes.
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

// A parser drops the first line feed after <pre>, and converts carriage returns to line feeds.
function withoutLineEnds(written: string): string {
  return written.replaceAll('\r', '\n').replace(/(<pre(?: [^\s=]+="[^"]*")*>)\n+/g, '$1')
}
