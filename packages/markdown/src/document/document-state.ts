/** The target and title of a link reference definition. */
export interface LinkDefinition {
  readonly href: string
  readonly title: string
}

/** The definitions of a document, which apply to all of its blocks. */
export interface Definitions {
  /** The link definitions by normalized label. */
  readonly links: ReadonlyMap<string, LinkDefinition>
  /** The normalized labels of the defined footnotes. */
  readonly footnotes: ReadonlySet<string>
}

/** A footnote that the text refers to. */
export interface Footnote {
  readonly label: string
  /** The number that readers see: 1 for the footnote that the text references first. */
  readonly number: number
  /** The number of references to it. */
  readonly references: number
}

/** A lookup that a unit made in the document state while it was rendered, with its result. */
export interface Question {
  readonly ask: 'link' | 'isFootnote' | 'refer' | 'headingId' | 'mayHighlight'
  readonly about: string | number
  readonly answer: unknown
}

// Each `[a]` repeats the whole URL and title of its definition, so a small text could produce a
// huge page. As in cmark, all references together may add at most as many characters as the text
// has; if the text is shorter than this minimum, the minimum. Further references stay text.
// https://github.com/commonmark/cmark/blob/0.31.1/src/map.c cmark_map_lookup
const minReferenceBudget = 100_000

/**
 * The document-wide data that the rendering of a unit uses in addition to its own source:
 * definitions, footnote numbers, heading ids and budgets. Each lookup is recorded as a question. A
 * unit does not need to be rendered again as long as its questions get the same answers.
 */
export class DocumentState {
  #questions: Question[] = []
  // Functions that reverse the changes of `replay`, in the order of the changes; null outside of
  // `replay`.
  #undo: (() => void)[] | null = null
  readonly #definitions: Definitions
  readonly #footnotes = new Map<string, Footnote>()
  readonly #slugs = new Map<string, number>()
  #referencesLeft: number
  #highlightLeft: number

  /**
   * @param definitions - the definitions of the whole document
   * @param length - the length of the whole document, in UTF-16 units
   * @param maxHighlighted - the maximum length of all highlighted code, in UTF-16 units
   */
  constructor(definitions: Definitions, length: number, maxHighlighted: number) {
    this.#definitions = definitions
    this.#referencesLeft = Math.max(minReferenceBudget, length)
    this.#highlightLeft = maxHighlighted
  }

  /** The footnotes that were referenced so far, in the order of their numbers. */
  get footnotes(): readonly Footnote[] {
    return [...this.#footnotes.values()]
  }

  /** Returns the questions recorded since the last call, and clears them. */
  takeQuestions(): readonly Question[] {
    const questions = this.#questions
    this.#questions = []
    return questions
  }

  /**
   * Returns the definition of a label; undefined if it is not defined, or if the budget is used up.
   */
  link(label: string): LinkDefinition | undefined {
    const definition = this.#definitions.links.get(label)
    const size = definition === undefined ? 0 : definition.href.length + definition.title.length
    const answer = size > this.#referencesLeft ? undefined : definition
    if (answer !== undefined) {
      this.#referencesLeft -= size
      this.#undo?.push(() => {
        this.#referencesLeft += size
      })
    }
    return this.#record('link', label, answer)
  }

  /** Whether a footnote with this label is defined. */
  isFootnote(label: string): boolean {
    return this.#record('isFootnote', label, this.#definitions.footnotes.has(label))
  }

  /** Counts a reference to a footnote. Returns null if the footnote is not defined. */
  refer(label: string): Footnote | null {
    if (!this.#definitions.footnotes.has(label)) return this.#record('refer', label, null)
    const known = this.#footnotes.get(label)
    const number = known?.number ?? this.#footnotes.size + 1
    const footnote = { label, number, references: (known?.references ?? 0) + 1 }
    this.#footnotes.set(label, footnote)
    this.#undo?.push(() => restore(this.#footnotes, label, known))
    return this.#record('refer', label, footnote)
  }

  /**
   * Returns a unique id for a heading. The second and later headings with the same slug get a
   * number at the end: `a`, `a-1`, `a-2`.
   */
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

  /**
   * Returns whether code of this length, in UTF-16 units, fits into the budget for highlighting. If
   * so, subtracts the length from the budget.
   */
  mayHighlight(length: number): boolean {
    const answer = length <= this.#highlightLeft
    if (answer) {
      this.#highlightLeft -= length
      this.#undo?.push(() => {
        this.#highlightLeft += length
      })
    }
    return this.#record('mayHighlight', length, answer)
  }

  /**
   * Asks the questions of a unit again.
   *
   * @returns whether all answers are the same; if not, the state is unchanged
   */
  replay(questions: readonly Question[]): boolean {
    if (questions.length === 0) return true
    this.#undo = []
    const isSame = questions.every(({ ask, about, answer }) => {
      const method = this[ask] as (about: unknown) => unknown
      return isEqual(method.call(this, about), answer)
    })
    if (!isSame) for (const undo of this.#undo.toReversed()) undo()
    this.#undo = null
    this.#questions = []
    return isSame
  }

  #record<Answer>(ask: Question['ask'], about: string | number, answer: Answer): Answer {
    this.#questions.push({ ask, about, answer })
    return answer
  }
}

function restore<Value>(map: Map<string, Value>, key: string, before: Value | undefined): void {
  if (before === undefined) map.delete(key)
  else map.set(key, before)
}

function isEqual(some: unknown, other: unknown): boolean {
  return some === other || JSON.stringify(some) === JSON.stringify(other)
}
