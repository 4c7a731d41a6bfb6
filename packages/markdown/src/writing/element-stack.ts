import type { CompiledElement } from '../policy/compile-policy.ts'

// A paragraph around one of these is not the one that a block inside it ends.
const hidesParagraph: ReadonlySet<string> = new Set(['table', 'caption', 'td', 'th'])

/** An element of the output that is open. */
export interface OpenElement {
  readonly name: string
  /** What the policy says of it; null when its tags were dropped: its end tag is then dropped too. */
  readonly kept: CompiledElement | null
  /** Whether the author wrote its tag; else Markdown did. */
  readonly isAuthors: boolean
  /** Counts the elements of the document: one that was opened later has a higher number. */
  readonly serial: number
}

/**
 * The elements that are open at a point of the output, Markdown's and the author's: one stack for the whole document.
 */
export class ElementStack {
  readonly #open: OpenElement[] = []
  readonly #kept: CompiledElement[] = []
  readonly #counts = new Map<string, number>()
  readonly #maxDepth: number
  #serial = 0

  /** @param maxDepth - how many elements may stand inside each other */
  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth
  }

  /** How many elements are open, with those whose tags were dropped. */
  get depth(): number {
    return this.#open.length
  }

  get innermost(): OpenElement | undefined {
    return this.#open.at(-1)
  }

  /** Whether an element that was opened is open still. */
  has(element: OpenElement): boolean {
    return this.#open.includes(element)
  }

  /**
   * Says why an element can't stand here; null when it can.
   *
   * @param count - how many of its kind inside each other
   */
  objection(element: CompiledElement, count: number = 1): string | null {
    const { parents, notInside } = element
    const parent = this.#kept.at(-1)
    if (this.#kept.length + count > this.#maxDepth) return 'too many elements inside each other'
    if (parents !== null && (parent === undefined || !parents.has(parent.name))) {
      return `it must stand in <${[...parents].join('>, <')}>`
    }
    for (const ancestor of notInside) {
      if ((this.#counts.get(ancestor) ?? 0) > 0) return `it must not stand inside <${ancestor}>`
    }
    if (parent?.children?.has(element.name) === false)
      return `it must not stand in <${parent.name}>`
    return null
  }

  /** Opens an element that has an end tag. */
  push(name: string, kept: CompiledElement | null, isAuthors: boolean): OpenElement {
    const open = { name, kept, isAuthors, serial: this.#serial++ }
    this.#open.push(open)
    if (kept !== null) {
      this.#kept.push(kept)
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
    }
    return open
  }

  /** Closes an element, if it is still open, and all that were opened since, and gives the end tags. */
  close(element: OpenElement): string {
    return this.#closeSince(element.serial)
  }

  /**
   * Closes the paragraph that is open here, as a browser does where a block begins, and gives the end tags.
   *
   * @see https://html.spec.whatwg.org/multipage/parsing.html#close-a-p-element
   */
  closeParagraph(): string {
    if ((this.#counts.get('p') ?? 0) === 0) return ''
    const paragraph = this.#open.findLast(
      ({ name, kept }) => kept !== null && (name === 'p' || hidesParagraph.has(name)),
    )
    return paragraph?.name === 'p' ? this.close(paragraph) : ''
  }

  /** Closes all elements and gives their end tags. */
  closeAll(): string {
    return this.#closeSince(0)
  }

  /** The innermost of the author's open elements of a name. */
  findAuthors(name: string): OpenElement | undefined {
    return this.#open.findLast((open) => open.isAuthors && open.name === name)
  }

  #closeSince(serial: number): string {
    let endTags = ''
    for (
      let open = this.#open.at(-1);
      open !== undefined && open.serial >= serial;
      open = this.#open.at(-1)
    ) {
      this.#open.pop()
      if (open.kept === null) continue
      this.#kept.pop()
      this.#counts.set(open.name, (this.#counts.get(open.name) ?? 0) - 1)
      endTags += `</${open.name}>`
    }
    return endTags
  }
}
