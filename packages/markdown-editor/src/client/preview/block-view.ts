import { matchBlocks } from './match-blocks.ts'
import type { Rendered } from './preview-document.ts'
import { Slices } from './slices.ts'

interface ShownBlock {
  readonly html: string
  /** Null before it is shown. */
  nodes: readonly ChildNode[] | null
}

/** Shows rendered blocks in an element. A block that stays the same keeps its nodes, and they their state. */
export class BlockView {
  readonly #element: HTMLElement
  readonly #parse: (html: string) => readonly ChildNode[]
  readonly #signal: AbortSignal
  #blocks: readonly ShownBlock[] = []

  /**
   * @param element what shows them, and nothing beside them
   * @param parse makes the nodes of a block
   * @param signal ends it, in the middle of many blocks too
   */
  constructor(element: HTMLElement, parse: (html: string) => readonly ChildNode[], signal: AbortSignal) {
    this.#element = element
    this.#parse = parse
    this.#signal = signal
  }

  /**
   * Shows what became of a text: a few blocks at once, many in slices, the first ones first. The call before must be done.
   *
   * @returns false when there is nothing to be seen
   * @throws the signal's reason
   */
  async show({ patch, whole }: Rendered): Promise<boolean> {
    const start = whole ? 0 : patch.start
    const end = whole ? this.#blocks.length : start + patch.removed
    const [before, old, after] = [this.#blocks.slice(0, start), this.#blocks.slice(start, end), this.#blocks.slice(end)]
    const matches = matchBlocks(old, patch.blocks)
    const fresh = patch.blocks.map(({ html }, index) => matches[index] ?? { html, nodes: null })
    const next = firstNode(after)
    const isHere = this.#owns(firstNode(this.#blocks)) && (next === null || this.#owns(next))
    this.#blocks = [...before, ...fresh, ...after]
    const slices = new Slices(this.#signal)
    const kept = new Set(matches)
    // The new ones come before the old ones go: the page never is too short for where it is scrolled to.
    if (isHere && (await this.#insert(fresh, kept, lastNode(before), slices))) {
      const gone = old.filter((block) => !kept.has(block))
      await this.#remove(gone, slices)
    } else await this.#showAll(slices)
    return firstNode(this.#blocks) !== null
  }

  // After a message, or where a translator has been.
  async #showAll(slices: Slices): Promise<void> {
    this.#element.replaceChildren()
    if (await this.#insert(this.#blocks, new Set(), null, slices)) return
    this.#element.replaceChildren(...this.#blocks.map((block) => this.#toFragment(block)))
  }

  /** Inserts blocks behind a node, but for those that are there; false when a place is lost. */
  async #insert(
    blocks: readonly ShownBlock[],
    kept: ReadonlySet<ShownBlock | null>,
    behind: ChildNode | null,
    slices: Slices,
  ): Promise<boolean> {
    let last = behind
    for (const block of blocks) {
      const wait = slices.next()
      if (wait !== null) await wait
      if (last !== null && !this.#owns(last)) return false
      if (!kept.has(block)) {
        const fragment = this.#toFragment(block)
        this.#element.insertBefore(fragment, last === null ? this.#element.firstChild : last.nextSibling)
      }
      last = block.nodes?.at(-1) ?? last
    }
    return true
  }

  async #remove(blocks: readonly ShownBlock[], slices: Slices): Promise<void> {
    for (const { nodes } of blocks) {
      const wait = slices.next()
      if (wait !== null) await wait
      for (const node of nodes ?? []) node.remove()
    }
  }

  #toFragment(block: ShownBlock): DocumentFragment {
    block.nodes ??= block.html === '' ? [] : this.#parse(block.html)
    const fragment = document.createDocumentFragment()
    for (const node of block.nodes) fragment.append(node)
    return fragment
  }

  #owns(node: ChildNode | null): boolean {
    return node?.parentNode === this.#element
  }
}

function firstNode(blocks: readonly ShownBlock[]): ChildNode | null {
  return blocks.find(({ nodes }) => nodes !== null && nodes.length > 0)?.nodes?.[0] ?? null
}

function lastNode(blocks: readonly ShownBlock[]): ChildNode | null {
  return blocks.findLast(({ nodes }) => nodes !== null && nodes.length > 0)?.nodes?.at(-1) ?? null
}
