import { createElement } from '../dom/elements.ts'
import type { Rendered } from './preview-client.ts'

/** A rendered block of the text, and its nodes on the page. */
interface ShownBlock {
  html: string
  /** The line of the text at which the block begins, from 0. */
  line: number
  /** The nodes of the block on the page; null before it is shown. */
  nodes: readonly ChildNode[] | null
}

// More than MANY blocks are grouped into parts. Browsers lay out only parts near the viewport.
const MANY = 300
const PART_SIZE = 50

const PART = 'md-editor-part'

// Milliseconds of work in one frame. The layout after it takes several times as long.
const SLICE = 6

// Milliseconds to wait for a frame, because a hidden page gets no frames.
const FRAME_TIMEOUT = 100

/** Shows rendered blocks. Unchanged blocks keep their nodes. */
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

  get blocks(): readonly ShownBlock[] {
    return this.#blocks
  }

  get lines(): number {
    return this.#lines
  }

  get isEmpty(): boolean {
    return !this.#blocks.some(hasNodes)
  }

  /** Shows the rendered blocks, many of them in slices. Returns the first new element, or null. */
  async show({ patch, whole }: Rendered): Promise<Element | null> {
    const start = whole ? 0 : patch.start
    const count = whole ? this.#blocks.length : patch.removed
    const old = this.#blocks.slice(start, start + count)
    const matches = matchBlocks(old, patch.blocks)
    const kept = new Set(matches)
    const fresh = patch.blocks.map(({ html, line }, index) =>
      Object.assign(matches[index] ?? { nodes: null }, { html, line }),
    )
    const [before, after] = [this.#blocks.slice(0, start), this.#blocks.slice(start + count)]
    const first = firstNode(this.#blocks)
    const behind = before.findLast(hasNodes)?.nodes?.at(-1) ?? null
    const places = [first, behind, firstNode(after), ...old.flatMap(({ nodes }) => nodes ?? [])]
    this.#blocks = [...before, ...fresh, ...after]
    this.#move(start + fresh.length, patch.lineShift, whole)
    const isMany = fresh.length - matches.filter((match) => match !== null).length > MANY
    if (isMany || first === null || !places.every((node) => this.#owns(node))) await this.#showAll()
    else {
      // Inserts the new blocks before it removes the old ones, so that the scroll position stays.
      this.#insert(fresh, kept, behind)
      for (const block of old)
        if (!kept.has(block)) for (const node of block.nodes ?? []) node.remove()
    }
    const inserted = fresh.filter((block) => !kept.has(block)).flatMap(({ nodes }) => nodes ?? [])
    return inserted.find((node) => node instanceof Element) ?? null
  }

  #move(start: number, lines: number, whole: boolean): void {
    this.#lines = whole ? lines : this.#lines + lines
    if (whole || lines === 0) return
    for (let index = start; index < this.#blocks.length; index++) {
      const block = this.#blocks[index]
      if (block !== undefined) block.line += lines
    }
  }

  // Replaces the whole content. Needed after a message, for many new blocks, and after another
  // script, such as a translator, has moved nodes.
  async #showAll(): Promise<void> {
    const blocks = this.#blocks
    if (blocks.length <= MANY) {
      this.#element.replaceChildren(...blocks.map((block) => this.#toFragment(block)))
      return
    }
    this.#element.replaceChildren()
    const parts: Element[] = []
    let end = performance.now() + SLICE
    for (let start = 0; start < blocks.length; start += PART_SIZE) {
      const part = createElement('div', { class: PART })
      parts.push(part)
      this.#element.append(part)
      for (const block of blocks.slice(start, start + PART_SIZE)) {
        if (performance.now() >= end) {
          await nextFrame()
          this.#signal.throwIfAborted()
          end = performance.now() + SLICE
        }
        part.append(this.#toFragment(block))
      }
    }
    const { childNodes } = this.#element
    if (parts.some((part, index) => part !== childNodes[index]))
      this.#element.replaceChildren(...parts)
  }

  /** Inserts blocks after a node, except the kept ones. */
  #insert(
    blocks: readonly ShownBlock[],
    kept: ReadonlySet<ShownBlock | null>,
    behind: ChildNode | null,
  ): void {
    let last = behind
    for (const block of blocks) {
      if (!kept.has(block)) {
        const fragment = this.#toFragment(block)
        if (last !== null) last.after(fragment)
        else (this.#element.querySelector(`:scope > .${PART}`) ?? this.#element).prepend(fragment)
      }
      last = block.nodes?.at(-1) ?? last
    }
  }

  #toFragment(block: ShownBlock): DocumentFragment {
    block.nodes ??= block.html === '' ? [] : this.#parse(block.html)
    const fragment = document.createDocumentFragment()
    for (const node of block.nodes) fragment.append(node)
    return fragment
  }

  /** True for null, and for a node that is still in the pane or in one of its parts. */
  #owns(node: ChildNode | null): boolean {
    const parent = node?.parentElement ?? null
    return (
      node === null ||
      parent === this.#element ||
      (parent?.className === PART && parent.parentElement === this.#element)
    )
  }
}

function hasNodes({ nodes }: ShownBlock): boolean {
  return nodes !== null && nodes.length > 0
}

function firstNode(blocks: readonly ShownBlock[]): ChildNode | null {
  return blocks.find(hasNodes)?.nodes?.[0] ?? null
}

/** Matches blocks by their HTML. Keeps their order, because a moved iframe loads again. */
function matchBlocks(
  old: readonly ShownBlock[],
  fresh: readonly { readonly html: string }[],
): (ShownBlock | null)[] {
  const most = Math.min(old.length, fresh.length)
  let head = 0
  while (head < most && old[head]?.html === fresh[head]?.html) head++
  let tail = 0
  while (tail < most - head && old.at(-1 - tail)?.html === fresh.at(-1 - tail)?.html) tail++

  const places = new Map<string, number>()
  for (const [index, { html }] of old.entries()) {
    if (index >= head && index < old.length - tail) places.set(html, places.has(html) ? -1 : index)
  }
  let last = -1
  return fresh.map(({ html }, index) => {
    if (index < head) return old[index] ?? null
    if (index >= fresh.length - tail) return old[index - fresh.length + old.length] ?? null
    const place = places.get(html) ?? -1
    if (place <= last) return null
    last = place
    return old[place] ?? null
  })
}

function nextFrame(): Promise<unknown> {
  return new Promise((resolve) => {
    requestAnimationFrame(resolve)
    setTimeout(resolve, FRAME_TIMEOUT)
  })
}
