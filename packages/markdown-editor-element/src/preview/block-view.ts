import { createElement } from '../dom/elements.ts'
import { matchBlocks, Slices, updateWords } from './block-updates.ts'
import type { Rendered } from './preview-document.ts'

/** A block of the text, and its place on the page. */
export interface ShownBlock {
  html: string
  /** The line of the text at which it begins, from 0. */
  line: number
  /** Null before it is shown. */
  nodes: readonly ChildNode[] | null
}

// With more blocks than these, browsers lay out only the parts near the viewport.
const MANY = 300
const PART_SIZE = 50

// In so few changed blocks, only the text nodes are replaced if nothing else differs.
const FEW = 8
const PART = 'md-editor-part'

/** Shows rendered blocks. Unchanged ones keep their nodes. Many new ones are grouped in parts. */
export class BlockView {
  readonly #element: HTMLElement
  readonly #parse: (html: string) => readonly ChildNode[]
  readonly #signal: AbortSignal
  #blocks: ShownBlock[] = []
  #lines = 0

  constructor(
    element: HTMLElement,
    parse: (html: string) => readonly ChildNode[],
    signal: AbortSignal,
  ) {
    this.#element = element
    this.#parse = parse
    this.#signal = signal
  }

  /** In the order of their lines. */
  get blocks(): readonly ShownBlock[] {
    return this.#blocks
  }

  /** How many lines the text has: where it ends. */
  get lines(): number {
    return this.#lines
  }

  /** Whether there is nothing to be seen. */
  get isEmpty(): boolean {
    return firstNode(this.#blocks, 0) === null
  }

  /** Shows a rendered text, many blocks in slices. Returns the first new element, or null. */
  async show({ patch, whole }: Rendered): Promise<Element | null> {
    const start = whole ? 0 : patch.start
    const count = whole ? this.#blocks.length : patch.removed
    const old = this.#blocks.slice(start, start + count)
    const matches = matchBlocks(old, patch.blocks)
    const stay = new Set(matches)
    const isFew =
      old.length === patch.blocks.length && old.length <= FEW && matches.every(isInPlace(old))
    const updated = isFew
      ? old.map((block, index) => this.#updateWords(block, patch.blocks[index], stay))
      : []
    const fresh = patch.blocks.map(({ html, line }, index) => {
      return Object.assign(matches[index] ?? updated[index] ?? { html, line, nodes: null }, {
        html,
        line,
      })
    })
    const next = firstNode(this.#blocks, start + count)
    const isHere = this.#owns(firstNode(this.#blocks, 0)) && (next === null || this.#owns(next))
    this.#replace(start, count, fresh)
    this.#move(start + fresh.length, patch.lineShift, whole)
    const slices = new Slices(this.#signal)
    const kept = new Set([...matches, ...updated])
    // New blocks come before old ones go, so that the page keeps its scroll position.
    const isMany = fresh.length - matches.filter((match) => match !== null).length > MANY
    if (
      isHere &&
      !isMany &&
      (await this.#insert(fresh, kept, lastNode(this.#blocks, start), slices))
    ) {
      const gone = old.filter((block) => !kept.has(block))
      await this.#remove(gone, slices)
    } else await this.#showAll(slices)
    return firstElement(fresh.filter((block) => !stay.has(block)))
  }

  /** Writes new words into an old block, or returns null when more than words differ. */
  #updateWords(
    block: ShownBlock,
    fresh: { readonly html: string } | undefined,
    stay: ReadonlySet<ShownBlock | null>,
  ): ShownBlock | null {
    const nodes = block.nodes ?? []
    if (fresh === undefined || stay.has(block) || nodes.length === 0) return null
    return nodes.every((node) => this.#owns(node)) && updateWords(nodes, this.#parse(fresh.html))
      ? block
      : null
  }

  #replace(start: number, count: number, fresh: readonly ShownBlock[]): void {
    // There are limits to how many arguments a function takes.
    if (fresh.length < 1000) this.#blocks.splice(start, count, ...fresh)
    else
      this.#blocks = [
        ...this.#blocks.slice(0, start),
        ...fresh,
        ...this.#blocks.slice(start + count),
      ]
  }

  #move(start: number, lines: number, whole: boolean): void {
    this.#lines = whole ? lines : this.#lines + lines
    if (whole || lines === 0) return
    for (let index = start; index < this.#blocks.length; index++) {
      const block = this.#blocks[index]
      if (block !== undefined) block.line += lines
    }
  }

  // After a message, where a translator has been, and when there are many.
  async #showAll(slices: Slices): Promise<void> {
    const blocks = this.#blocks
    this.#element.replaceChildren()
    if (blocks.length <= MANY) {
      if (await this.#insert(blocks, new Set(), null, slices)) return
      this.#element.replaceChildren(...blocks.map((block) => this.#toFragment(block)))
      return
    }
    const parts: Element[] = []
    for (let start = 0; start < blocks.length; start += PART_SIZE) {
      const part = createElement('div', { class: PART })
      parts.push(part)
      this.#element.append(part)
      for (const block of blocks.slice(start, start + PART_SIZE)) {
        const wait = slices.next()
        if (wait !== null) await wait
        part.append(this.#toFragment(block))
      }
    }
    const { childNodes } = this.#element
    if (parts.some((part, index) => part !== childNodes[index]))
      this.#element.replaceChildren(...parts)
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
        if (last !== null) last.after(this.#toFragment(block))
        else
          (this.#element.querySelector(`:scope > .${PART}`) ?? this.#element).prepend(
            this.#toFragment(block),
          )
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
    return partOf(node)?.parentNode === this.#element || node?.parentNode === this.#element
  }
}

function isInPlace(
  old: readonly ShownBlock[],
): (match: ShownBlock | null, index: number) => boolean {
  return (match, index) => match === null || match === old[index]
}

/** The part that a node is in, or null. */
export function partOf(node: Node | null): Element | null {
  const parent = node?.parentElement ?? null
  return parent?.className === PART ? parent : null
}

/** The first node at or behind a block. */
function firstNode(blocks: readonly ShownBlock[], start: number): ChildNode | null {
  for (let index = start; index < blocks.length; index++) {
    const node = blocks[index]?.nodes?.[0]
    if (node !== undefined) return node
  }
  return null
}

/** The last node before a block. */
function lastNode(blocks: readonly ShownBlock[], end: number): ChildNode | null {
  for (let index = end - 1; index >= 0; index--) {
    const node = blocks[index]?.nodes?.at(-1)
    if (node !== undefined) return node
  }
  return null
}

/** The first element of some blocks. */
function firstElement(blocks: readonly ShownBlock[]): Element | null {
  for (const { nodes } of blocks) {
    for (const node of nodes ?? []) if (node instanceof Element) return node
  }
  return null
}
