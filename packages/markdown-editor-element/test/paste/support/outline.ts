import type { HtmlElement, HtmlNode } from '../../../src/paste/html-tree.ts'
import { parseTree } from './parse.ts'

const NAMES: Readonly<Record<string, string>> = { b: 'strong', i: 'em', s: 'del', strike: 'del' }
const MARKS: ReadonlySet<string> = new Set([
  'strong',
  'em',
  'del',
  'mark',
  'sub',
  'sup',
  'code',
  'kbd',
  'ins',
  'a',
])
const BLOCKS: ReadonlySet<string> = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre table thead tbody tr th td hr details summary div section'.split(
    ' ',
  ),
)

/**
 * Returns the visible content of HTML, one block per line: `p: a <strong>b`. The nesting of marks
 * and the position of spaces in them do not matter.
 */
export function outline(html: string): string {
  const lines: string[] = []
  let line = ''
  let marks = ''
  let path: readonly string[] = []
  const end = (): void => {
    // Two consecutive line breaks separate paragraphs.
    for (const text of line.replace(/ (?=\n|$)/g, '').split(/\n{2,}/)) {
      const trimmed = text.replace(/^\n|\n$/g, '')
      if (trimmed !== '') lines.push(`${path.join('>')}: ${trimmed}`)
    }
    line = ''
    marks = ''
  }
  const add = (text: string, around: readonly string[], verbatim: boolean): void => {
    for (const character of verbatim ? text : text.replace(/\s+/g, ' ')) {
      if (!verbatim && character === ' ') {
        if (line !== '' && !/[\s]$/.test(line)) line += ' '
        continue
      }
      const wanted = [...around].sort().join(' ')
      if (wanted !== marks) line += `<${wanted}>`
      marks = wanted
      line += character
    }
  }
  const read = (node: HtmlNode, around: readonly string[], blocks: readonly string[]): void => {
    if (typeof node === 'string') {
      add(node, around, blocks.includes('pre'))
      return
    }
    const name = NAMES[node.name] ?? node.name
    if (name === 'br') {
      line += '\n'
      marks = ''
    }
    if (name === 'img')
      add(`{${node.attributes.get('src')} ${node.attributes.get('alt')}}`, [], true)
    else if (name === 'input') add(node.attributes.has('checked') ? '[x]' : '[ ]', [], true)
    else if (BLOCKS.has(name)) {
      end()
      // A paragraph in a list item is omitted, so that tight and loose lists have the same outline.
      const inner =
        name === 'p' && blocks.at(-1) === 'li' ? blocks : [...blocks, labelOf(name, node)]
      path = inner
      if (name === 'hr') lines.push(`${inner.join('>')}`)
      for (const child of node.children) {
        path = inner
        read(child, [], inner)
      }
      path = inner
      end()
      path = blocks
    } else if (name !== 'br') {
      const mark = name === 'a' ? `a=${node.attributes.get('href')}` : name
      const marked =
        MARKS.has(name) && !around.includes(mark) && !(name === 'code' && blocks.includes('pre'))
      for (const child of node.children) read(child, marked ? [...around, mark] : around, blocks)
    }
  }
  for (const child of parseTree(html).root.children) read(child, [], [])
  end()
  return lines.join('\n')
}

function labelOf(name: string, { attributes }: HtmlElement): string {
  const start = name === 'ol' ? (attributes.get('start') ?? '1') : ''
  const align =
    attributes.get('align') ?? /text-align:\s*(\w+)/.exec(attributes.get('style') ?? '')?.[1] ?? ''
  return name + start + (align === '' ? '' : `-${align}`)
}
