import { escapeText } from 'entities'
import { isElement, isText, type Node, type Parent } from './html-tree.ts'

// Browsers do not show white space next to the tags of these elements. CommonMark's test uses the
// same list: https://github.com/commonmark/commonmark-spec/blob/0.31.2/test/normalize.py
const blocks: ReadonlySet<string> = new Set(
  (
    'article header aside hgroup blockquote hr iframe body li map button object canvas ol caption output col p ' +
    'colgroup pre dd progress div section dl table td dt tbody embed textarea fieldset tfoot figcaption th figure ' +
    'thead footer tr form ul h1 h2 h3 h4 h5 h6 video script style'
  ).split(' '),
)

const voidElements: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta source track wbr'.split(' '),
)

/**
 * Writes a tree in a normal form. Sorts attributes, and removes white space next to the tags of
 * blocks, after `<br>` and at the end. Keeps white space inside of text, unlike CommonMark's test.
 */
export function writeTree(root: Parent): string {
  let output = ''
  let afterBlock = true
  const write = (node: Node, inPre: boolean): void => {
    if (isText(node)) {
      const text = afterBlock && !inPre ? node.value.trimStart() : node.value
      output += escapeText(text)
      if (text !== '') afterBlock = false
    }
    if (!isElement(node)) {
      if (node.nodeName === '#comment') output += '<!---->'
      return
    }
    const isBlock = blocks.has(node.tagName)
    if (isBlock && !inPre) output = output.trimEnd()
    const attributes = node.attrs
      .map(({ name, value }) => ` ${name}=${JSON.stringify(value)}`)
      .sort()
    output += `<${node.tagName}${attributes.join('')}>`
    afterBlock = isBlock || node.tagName === 'br'
    const isPre = inPre || node.tagName === 'pre'
    for (const child of node.childNodes) write(child, isPre)
    if (isBlock && !isPre) output = output.trimEnd()
    if (!voidElements.has(node.tagName)) output += `</${node.tagName}>`
    afterBlock = isBlock || node.tagName === 'br'
  }
  for (const child of root.childNodes) write(child, false)
  return output.replace(/\s+((?:<\/(?!pre>)\w+>)*)$/, '$1')
}
