import type { CompiledElement } from '../policy/compile-policy.ts'

// A block inside one of these elements does not end a paragraph around the element.
const hidesParagraph: ReadonlySet<string> = new Set(['table', 'caption', 'td', 'th'])

/** An open element of the output. */
export interface OpenElement {
  readonly name: string
  /** The element's policy; null if its start tag was dropped, so that its end tag is dropped too. */
  readonly kept: CompiledElement | null
  /** Whether the tag is the author's own HTML, not the result of Markdown. */
  readonly isAuthors: boolean
  /** Elements that are opened later have higher numbers. */
  readonly serial: number
}

/**
 * The open elements of the output, both of Markdown and of the author's own HTML, in one stack per
 * document.
 */
export class ElementStack {
  readonly #open: OpenElement[] = []
  readonly #kept: CompiledElement[] = []
  readonly #counts = new Map<string, number>()
  readonly #maxDepth: number
  #serial = 0

  /** @param maxDepth - the greatest depth of nested elements */
  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth
  }

  /** The number of open elements, including those whose tags were dropped. */
  get depth(): number {
    return this.#open.length
  }

  get innermost(): OpenElement | undefined {
    return this.#open.at(-1)
  }

  /** Whether an element is still open. */
  has(element: OpenElement): boolean {
    return this.#open.includes(element)
  }

  /**
   * Whether an element is allowed here.
   *
   * @param count - the number of such elements, nested in each other
   */
  allows({ name, parents, notInside }: CompiledElement, count: number = 1): boolean {
    const parent = this.#kept.at(-1)
    if (this.#kept.length + count > this.#maxDepth) return false
    if (parents && !(parent && parents.includes(parent.name))) return false
    if (notInside.some((each) => (this.#counts.get(each) ?? 0) > 0)) return false
    return parent?.children?.includes(name) !== false
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

  /**
   * Closes an element, if it is still open, and all elements opened after it. Returns the end tags.
   */
  close({ serial }: Pick<OpenElement, 'serial'>): string {
    let endTags = ''
    for (let open = this.innermost; open && open.serial >= serial; open = this.innermost) {
      this.#open.pop()
      if (open.kept === null) continue
      this.#kept.pop()
      this.#counts.set(open.name, (this.#counts.get(open.name) ?? 0) - 1)
      endTags += `</${open.name}>`
    }
    return endTags
  }

  /**
   * Closes the open paragraph, as a browser does where a block begins. Returns the end tags.
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

  /** Returns the innermost open element of the author with a name. */
  findAuthors(name: string): OpenElement | undefined {
    return this.#open.findLast((open) => open.isAuthors && open.name === name)
  }
}
