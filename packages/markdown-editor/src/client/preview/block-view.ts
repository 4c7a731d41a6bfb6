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
    const [head, tail] = countEqual(this.#blocks.slice(start, end), patch.blocks)
    const before = this.#blocks.slice(0, start + head)
    const gone = this.#blocks.slice(start + head, end - tail)
    const after = this.#blocks.slice(end - tail)
    const added = patch.blocks.slice(head, patch.blocks.length - tail).map(({ html }) => this.#create(html))

    const first = firstNode(this.#blocks)
    const next = firstNode(after)
    this.#blocks = [...before, ...added, ...after]
    if (this.#owns(first) && (next === null || this.#owns(next))) {
      // The new ones come before the old ones go: the page never is too short for where it is scrolled to.
      this.#element.insertBefore(fragmentOf(added), next)
      for (const { nodes } of gone) for (const node of nodes) node.remove()
    } else {
      this.#element.replaceChildren(fragmentOf(this.#blocks)) // After a message, or where a translator has been.
    }
    return firstNode(this.#blocks) !== null
  }

  #create(html: string): ShownBlock {
    return { html, nodes: html === '' ? [] : this.#parse(html) }
  }

  #owns(node: ChildNode | null): boolean {
    return node?.parentNode === this.#element
  }
}

/** How many blocks at the start, and how many others at the end, have the same HTML. */
function countEqual(
  old: readonly { readonly html: string }[],
  fresh: readonly { readonly html: string }[],
): readonly [head: number, tail: number] {
  const most = Math.min(old.length, fresh.length)
  let head = 0
  while (head < most && old[head]?.html === fresh[head]?.html) head++
  let tail = 0
  while (tail < most - head && old.at(-1 - tail)?.html === fresh.at(-1 - tail)?.html) tail++
  return [head, tail]
}

function firstNode(blocks: readonly ShownBlock[]): ChildNode | null {
  return blocks.find(({ nodes }) => nodes.length > 0)?.nodes[0] ?? null
}

function fragmentOf(blocks: readonly ShownBlock[]): DocumentFragment {
  const fragment = document.createDocumentFragment()
  for (const { nodes } of blocks) for (const node of nodes) fragment.append(node)
  return fragment
}
