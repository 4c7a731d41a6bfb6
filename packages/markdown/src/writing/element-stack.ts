import type { CompiledElement } from '../policy/compile-policy.ts'

// A block inside one of these elements does not end a paragraph around the element.
const hidesParagraph: ReadonlySet<string> = new Set(['table', 'caption', 'td', 'th'])

/** An open element of the output. */
export interface OpenElement {
  readonly name: string
  /**
   * The rule of the element. Null if the start tag was dropped. The end tag is then dropped too.
   */
  readonly kept: CompiledElement | null
  /** True if the tag is HTML of the author. */
  readonly isAuthors: boolean
  /** Later elements have higher numbers. */
  readonly serial: number
}

/** The open elements of a document, from Markdown and from HTML of the author. */
export class ElementStack {
  readonly #open: OpenElement[] = []
  readonly #kept: CompiledElement[] = []
  readonly #counts = new Map<string, number>()
  readonly #maxDepth: number
  #serial = 0

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth
  }

  /** Also counts elements whose tags were dropped. */
  get depth(): number {
    return this.#open.length
  }

  get innermost(): OpenElement | undefined {
    return this.#open.at(-1)
  }

  has(element: OpenElement): boolean {
    return this.#open.includes(element)
  }

  /** Returns true if `count` nested elements of this kind are allowed here. */
  allows({ name, parents, notInside }: CompiledElement, count: number = 1): boolean {
    const parent = this.#kept.at(-1)
    if (this.#kept.length + count > this.#maxDepth) return false
    if (parents && !(parent && parents.includes(parent.name))) return false
    if (notInside.some((each) => (this.#counts.get(each) ?? 0) > 0)) return false
    return parent?.children?.includes(name) !== false
  }

  push(name: string, kept: CompiledElement | null, isAuthors: boolean): OpenElement {
    const open = { name, kept, isAuthors, serial: this.#serial++ }
    this.#open.push(open)
    if (kept !== null) {
      this.#kept.push(kept)
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
    }
    return open
  }

  /** Closes an element, if it is still open, and all later elements. Returns their end tags. */
  close(element: Pick<OpenElement, 'serial'> | undefined): string {
    const serial = element?.serial ?? Number.POSITIVE_INFINITY
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

  /** See https://html.spec.whatwg.org/multipage/parsing.html#close-a-p-element */
  closeParagraph(): string {
    if ((this.#counts.get('p') ?? 0) === 0) return ''
    const paragraph = this.#open.findLast(
      ({ name, kept }) => kept !== null && (name === 'p' || hidesParagraph.has(name)),
    )
    return paragraph?.name === 'p' ? this.close(paragraph) : ''
  }

  findAuthors(name: string): OpenElement | undefined {
    return this.#open.findLast((open) => open.isAuthors && open.name === name)
  }
}
