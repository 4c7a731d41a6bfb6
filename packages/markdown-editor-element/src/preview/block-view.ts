import type { RenderPatch } from '@quillgate/markdown/browser'
import { createElement } from '../dom/elements.ts'

interface ShownBlock {
  readonly html: string
  /** The line of the text at which the block begins, from 0. */
  readonly line: number
  /** The element that contains the nodes: the pane, or an element for PART_SIZE blocks. */
  parent: HTMLElement
  /** The nodes of the block on the page; null before it is parsed. */
  nodes: readonly ChildNode[] | null
}

// If more than MANY blocks are new, all blocks are grouped into elements of PART_SIZE blocks,
// because browsers then lay out only the elements near the viewport.
const MANY = 300
const PART_SIZE = 50

// Milliseconds of parsing in one frame. The layout after it takes several times as long.
const SLICE = 6

/** Shows rendered blocks. Unchanged blocks keep their nodes. */
export class BlockView {
  readonly #element: HTMLElement
  readonly #parse: (html: string) => readonly ChildNode[]
  readonly #signal: AbortSignal
  #blocks: ShownBlock[] = []

  constructor(
    element: HTMLElement,
    parse: (html: string) => readonly ChildNode[],
    signal: AbortSignal,
  ) {
    this.#element = element
    this.#parse = parse
    this.#signal = signal
  }

  get blocks(): readonly ShownBlock[] {
    return this.#blocks
  }

  /** Makes the next patch replace all blocks. The blocks stay on the page until then. */
  forget(): void {
    this.#blocks = []
  }

  /** Applies a patch. If there are many new blocks, spreads their parsing over several frames. */
  async show({ start, removed, blocks, lineShift }: RenderPatch): Promise<void> {
    const end = start + removed
    const replaced = this.#blocks.slice(start, end)
    const matches = matchBlocks(replaced, blocks)
    let { parent } = this.#blocks[start - 1] ?? this.#blocks[start] ?? { parent: this.#element }
    const changed = blocks.map(({ html, line }, index) => {
      const match = matches[index]
      parent = match?.parent ?? parent
      return { html, line, parent, nodes: match?.nodes ?? null }
    })
    const fresh = changed.filter(({ nodes }) => nodes === null)
    const after = this.#blocks.slice(end).map((block) => {
      return { ...block, line: block.line + lineShift }
    })
    this.#blocks = [...this.#blocks.slice(0, start), ...changed, ...after]
    if (fresh.length > MANY) this.#group()
    const moved = fresh.length > MANY ? this.#blocks : [...replaced, ...changed]
    const parents = new Set(moved.map((block) => block.parent)).add(this.#element)
    const place = (): void => this.#place(parents)
    await this.#parseInSlices(fresh, place)
    place()
  }

  #group(): void {
    let parent = this.#element
    for (const [index, block] of this.#blocks.entries()) {
      if (index % PART_SIZE === 0) parent = createElement('div', { class: 'md-editor-part' })
      block.parent = parent
    }
  }

  /** Parses blocks, and shows the first ones meanwhile. Pauses while the page is hidden. */
  async #parseInSlices(blocks: readonly ShownBlock[], place: () => void): Promise<void> {
    let end = performance.now() + SLICE
    for (const block of blocks) {
      if (performance.now() >= end) {
        place()
        await new Promise(requestAnimationFrame)
        this.#signal.throwIfAborted()
        end = performance.now() + SLICE
      }
      block.nodes = block.html === '' ? [] : this.#parse(block.html)
    }
  }

  /** Arranges the content of some elements, one of which is the pane. */
  #place(parents: ReadonlySet<HTMLElement>): void {
    const contents = new Map([[this.#element, new Set<ChildNode>()]])
    for (const { parent, nodes } of this.#blocks) {
      if (nodes === null || nodes.length === 0) continue
      if (parent !== this.#element) contents.get(this.#element)?.add(parent)
      if (!parents.has(parent)) continue
      const content = contents.get(parent) ?? new Set()
      contents.set(parent, content)
      for (const node of nodes) content.add(node)
    }
    for (const [element, content] of contents) arrange(element, content)
  }
}

/**
 * Makes nodes the content of an element. Does not move nodes that are already in order, because a
 * moved iframe loads again. Removes other nodes last, so that the scroll position stays.
 */
function arrange(element: HTMLElement, content: ReadonlySet<ChildNode>): void {
  const others = [...element.childNodes].filter((node) => !content.has(node))
  let next = element.firstChild
  for (const node of content) {
    while (next !== null && !content.has(next)) next = next.nextSibling
    if (node === next) next = next.nextSibling
    else element.insertBefore(node, next)
  }
  for (const node of others) node.remove()
}

/** Matches blocks with equal HTML that is unique among the old blocks. Keeps the old order. */
function matchBlocks(
  old: readonly ShownBlock[],
  fresh: readonly { readonly html: string }[],
): (ShownBlock | null)[] {
  const places = new Map<string, number>()
  for (const [index, { html }] of old.entries()) places.set(html, places.has(html) ? -1 : index)
  let last = -1
  return fresh.map(({ html }) => {
    const place = places.get(html) ?? -1
    if (place <= last) return null
    last = place
    return old[place] ?? null
  })
}
