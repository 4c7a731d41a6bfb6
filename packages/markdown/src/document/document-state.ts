/** The target and title of a link reference definition. */
export interface LinkDefinition {
  readonly href: string
  readonly title: string
}

/** The link and footnote definitions of a document or of one block. All blocks can use them. */
export interface Definitions {
  /** The link definitions by normalized label. */
  readonly links: ReadonlyMap<string, LinkDefinition>
  /** The normalized labels of the defined footnotes. */
  readonly footnotes: ReadonlySet<string>
}

/** A footnote that the text refers to. */
export interface Footnote {
  readonly label: string
  /** The number that readers see. The footnote that is referenced first has the number 1. */
  readonly number: number
  readonly references: number
}

/** A recorded call of a `DocumentState` method, with its result. */
export interface StateRequest {
  readonly method: 'link' | 'isFootnote' | 'refer' | 'headingId' | 'mayHighlight'
  readonly argument: string | number
  readonly result: unknown
}

// A reference such as `[a]` copies the URL and title of its definition into the HTML. As in cmark,
// all copies together may have as many characters as the text, or this number if the text is
// shorter. Further references stay text.
const minReferenceBudget = 100_000

/**
 * The data that all segments of a document share, such as footnote numbers. Records each call as a
 * request. The HTML of a segment stays valid as long as its requests have the same results.
 */
export class DocumentState {
  #requests: StateRequest[] = []
  // Functions that reverse the changes of a running `repeat`. Null if `repeat` is not running.
  #undo: (() => void)[] | null = null
  readonly #definitions: Definitions
  readonly #footnotes = new Map<string, Footnote>()
  readonly #slugs = new Map<string, number>()
  readonly #left: Record<'references' | 'highlight', number>

  /** @param length - the length of the text, in UTF-16 units like `maxHighlighted` */
  constructor(definitions: Definitions, length: number, maxHighlighted: number) {
    this.#definitions = definitions
    this.#left = { references: Math.max(minReferenceBudget, length), highlight: maxHighlighted }
  }

  /** The footnotes that were referenced so far, in the order of their numbers. */
  get footnotes(): readonly Footnote[] {
    return [...this.#footnotes.values()]
  }

  takeRequests(): readonly StateRequest[] {
    const requests = this.#requests
    this.#requests = []
    return requests
  }

  /**
   * Returns undefined for an unknown label, or if all references together would add too many
   * characters.
   */
  link(label: string): LinkDefinition | undefined {
    const definition = this.#definitions.links.get(label)
    const size = definition === undefined ? 0 : definition.href.length + definition.title.length
    return this.#record('link', label, this.#spend('references', size) ? definition : undefined)
  }

  isFootnote(label: string): boolean {
    return this.#record('isFootnote', label, this.#definitions.footnotes.has(label))
  }

  /** Counts a reference and returns the footnote, or null if the footnote is not defined. */
  refer(label: string): Footnote | null {
    if (!this.#definitions.footnotes.has(label)) return this.#record('refer', label, null)
    const known = this.#footnotes.get(label)
    const number = known?.number ?? this.#footnotes.size + 1
    const footnote = { label, number, references: (known?.references ?? 0) + 1 }
    this.#footnotes.set(label, footnote)
    this.#undo?.push(() => restore(this.#footnotes, label, known))
    return this.#record('refer', label, footnote)
  }

  /** Headings with the same slug get ids such as `a`, `a-1`, `a-2`. */
  headingId(slug: string): string {
    const before = this.#slugs.get(slug)
    let id = slug
    let count = before ?? 0
    while (this.#slugs.has(id)) id = `${slug}-${++count}`
    this.#slugs.set(slug, count)
    if (id !== slug) this.#slugs.set(id, 0)
    this.#undo?.push(() => {
      this.#slugs.delete(id)
      restore(this.#slugs, slug, before)
    })
    return this.#record('headingId', slug, id)
  }

  /** Returns false if code of this length exceeds the limit. Otherwise, reduces the limit. */
  mayHighlight(length: number): boolean {
    return this.#record('mayHighlight', length, this.#spend('highlight', length))
  }

  /** Repeats requests. If a result differs, undoes all changes and returns false. */
  repeat(requests: readonly StateRequest[]): boolean {
    if (requests.length === 0) return true
    this.#undo = []
    const isSame = requests.every(({ method, argument, result }) => {
      const repeated = this[method] as (argument: unknown) => unknown
      const now = repeated.call(this, argument)
      return now === result || JSON.stringify(now) === JSON.stringify(result)
    })
    if (!isSame) for (const undo of this.#undo.toReversed()) undo()
    this.#undo = null
    this.#requests = []
    return isSame
  }

  #spend(budget: 'references' | 'highlight', size: number): boolean {
    if (size > this.#left[budget]) return false
    this.#left[budget] -= size
    this.#undo?.push(() => {
      this.#left[budget] += size
    })
    return true
  }

  #record<Value>(method: StateRequest['method'], argument: string | number, result: Value): Value {
    this.#requests.push({ method, argument, result })
    return result
  }
}

function restore<Value>(map: Map<string, Value>, key: string, before: Value | undefined): void {
  if (before === undefined) map.delete(key)
  else map.set(key, before)
}
