import { matchBlocks } from './match-blocks.ts'
import type { Rendered } from './preview-document.ts'

interface ShownBlock {
  readonly html: string
  readonly nodes: readonly ChildNode[]
}

/** Shows rendered blocks in an element. A block that stays the same keeps its nodes, and they their state. */
export class BlockView {
  readonly #element: HTMLElement
  readonly #parse: (html: string) => readonly ChildNode[]
  #blocks: readonly ShownBlock[] = []

  /**
   * @param element what shows them, and nothing beside them
   * @param parse makes the nodes of a block
   */
  constructor(element: HTMLElement, parse: (html: string) => readonly ChildNode[]) {
    this.#element = element
    this.#parse = parse
  }

  /** Shows what became of a text; false when there is nothing to be seen. */
  show({ patch, whole }: Rendered): boolean {
    const start = whole ? 0 : patch.start
    const end = whole ? this.#blocks.length : start + patch.removed
    const old = this.#blocks.slice(start, end)
    const kept = new Set<ShownBlock>()
    const fresh = matchBlocks(old, patch.blocks).map((match, index) => {
      if (match === null) return this.#create(patch.blocks[index]?.html ?? '')
      kept.add(match)
      return match
    })
    const after = this.#blocks.slice(end)
    const first = firstNode(this.#blocks)
    const next = firstNode(after)
    this.#blocks = [...this.#blocks.slice(0, start), ...fresh, ...after]
    if (this.#owns(first) && (next === null || this.#owns(next))) {
      // The new ones come before the old ones go: the page never is too short for where it is scrolled to.
      this.#insert(fresh, kept, next)
      for (const block of old) if (!kept.has(block)) for (const node of block.nodes) node.remove()
    } else {
      this.#element.replaceChildren(fragmentOf(this.#blocks)) // After a message, or where a translator has been.
    }
    return firstNode(this.#blocks) !== null
  }

  #insert(blocks: readonly ShownBlock[], kept: ReadonlySet<ShownBlock>, before: ChildNode | null): void {
    let next = before
    for (const block of blocks.toReversed()) {
      if (!kept.has(block)) this.#element.insertBefore(fragmentOf([block]), next)
      next = block.nodes[0] ?? next
    }
  }

  #create(html: string): ShownBlock {
    return { html, nodes: html === '' ? [] : this.#parse(html) }
  }

  #owns(node: ChildNode | null): boolean {
    return node?.parentNode === this.#element
  }
}

function firstNode(blocks: readonly ShownBlock[]): ChildNode | null {
  return blocks.find(({ nodes }) => nodes.length > 0)?.nodes[0] ?? null
}

function fragmentOf(blocks: readonly ShownBlock[]): DocumentFragment {
  const fragment = document.createDocumentFragment()
  for (const { nodes } of blocks) for (const node of nodes) fragment.append(node)
  return fragment
}
