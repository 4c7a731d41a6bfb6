import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import {
  type Converted,
  type ConvertOptions,
  htmlToMarkdown,
} from '../../../src/paste/html-to-markdown.ts'
import { type DomNode, type HtmlTree, readTree, renameParts } from '../../../src/paste/html-tree.ts'

type Parsed = DefaultTreeAdapterTypes.ChildNode | DefaultTreeAdapterTypes.Document

/** Parses HTML as a browser does, into the nodes that the editor reads. */
export function parseTree(html: string): HtmlTree {
  const document = parse(renameParts(html))
  const root = toDom(document)
  const open: [Parsed, MutableNode][] = [[document, root]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [source, target] = next
    let previous: MutableNode | null = null
    for (const child of 'childNodes' in source ? source.childNodes : []) {
      const copy = toDom(child)
      if (previous === null) target.firstChild = copy
      else previous.nextSibling = copy
      previous = copy
      open.push([child, copy])
    }
  }
  return readTree(root)
}

export function convert(html: string, options?: ConvertOptions): Converted {
  return htmlToMarkdown(parseTree(html), options)
}

interface MutableNode extends DomNode {
  firstChild: MutableNode | null
  nextSibling: MutableNode | null
}

function toDom(node: Parsed): MutableNode {
  const isText = node.nodeName === '#text'
  return {
    nodeName: node.nodeName,
    nodeType: isText ? 3 : 'attrs' in node ? 1 : node.nodeName === '#document' ? 9 : 8,
    nodeValue: isText ? (node as DefaultTreeAdapterTypes.TextNode).value : null,
    firstChild: null,
    nextSibling: null,
    ...('attrs' in node && { attributes: node.attrs }),
  }
}
