import { createElement } from '../dom/elements.ts'
import type { ShownBlock } from './block-view.ts'

const PLAIN = 'md-editor-plain'

/**
 * Tells whether a renderer has given a text as it is, escaped and with its line breaks: it does so with one that is too
 * long. The element becomes the text's place then, and says so above it.
 *
 * @param parsed the nodes of a block
 * @param notice what is to be said
 */
export function markPlain(parsed: Element, notice: string): boolean {
  const { childNodes, firstChild } = parsed
  if (!(firstChild instanceof Text) || !Array.from(childNodes).every(isPlain)) return false
  parsed.className = PLAIN
  parsed.prepend(createElement('p', { class: 'md-editor-hint', role: 'note' }, notice))
  return true
}

function isPlain(node: Node): boolean {
  return node instanceof Text || node.nodeName === 'BR'
}

/** The element of a text that is shown as it is; null when a preview shows blocks. */
export function plainOf(blocks: readonly ShownBlock[]): Element | null {
  const node = blocks[0]?.nodes?.[0]
  return blocks.length === 1 && node instanceof Element && node.className === PLAIN ? node : null
}

/** From where to where in the window a line is in a text that is shown as it is: there each line ends with a break. */
export function lineIn(plain: Element, line: number): { readonly top: number; readonly bottom: number } {
  const breaks = plain.getElementsByTagName('br')
  const box = plain.getBoundingClientRect()
  const top = line > 0 ? breaks[Math.min(line, breaks.length) - 1]?.getBoundingClientRect().bottom : undefined
  return { top: top ?? box.top, bottom: breaks[line]?.getBoundingClientRect().bottom ?? box.bottom }
}

/** How many lines a text has that is shown as it is. */
export function countLinesIn(plain: Element): number {
  return plain.getElementsByTagName('br').length + 1
}
