/** Where a link reference definition leads. */
export interface LinkDefinition {
  readonly href: string
  readonly title: string
}

/** What the blocks of a document define for all of it. */
export interface Definitions {
  /** By normalized label. */
  readonly links: ReadonlyMap<string, LinkDefinition>
  /** Normalized labels of footnotes. */
  readonly footnotes: ReadonlySet<string>
}

/** A footnote that the text refers to. */
export interface Footnote {
  readonly label: string
  /** From 1, by the first reference. */
  readonly number: number
  /** How many references lead to it. */
  readonly references: number
}

/** What a run of blocks asked of the document, with the answer it got. */
export type Question =
  | { readonly ask: 'link'; readonly label: string; readonly answer: LinkDefinition | undefined }
  | { readonly ask: 'footnote'; readonly label: string; readonly answer: boolean }
  | { readonly ask: 'reference'; readonly label: string; readonly answer: Footnote | null }
  | { readonly ask: 'id'; readonly slug: string; readonly answer: string }
  | { readonly ask: 'highlight'; readonly length: number; readonly answer: boolean }

// As cmark does: `[a]` repeats the whole URL and title of its definition, so that a small text could become a huge one.
// All uses together may add as many characters as the text has, and always this many; after that a reference stays text.
// https://github.com/commonmark/cmark/blob/0.31.1/src/map.c cmark_map_lookup
const minReferenceBudget = 100_000

/**
 * What rendering one part of a document depends on beside its own source: definitions, and what the parts before it
 * have used up (footnote numbers, heading ids, budgets). It writes down what it is asked, so that a part whose questions
 * still get the same answers need not be rendered again.
 */
export class DocumentState {
  #questions: Question[] = []
  #undo: (() => void)[] | null = null
  readonly #definitions: Definitions
  readonly #footnotes = new Map<string, Footnote>()
  readonly #slugs = new Map<string, number>()
  #referencesLeft: number
  #highlightLeft: number

  /**
   * @param definitions - of the whole document
   * @param length - of the whole document, in UTF-16 units
   * @param maxHighlighted - how many UTF-16 units of code may be highlighted
   */
  constructor(definitions: Definitions, length: number, maxHighlighted: number) {
    this.#definitions = definitions
    this.#referencesLeft = Math.max(minReferenceBudget, length)
    this.#highlightLeft = maxHighlighted
  }

  /** The footnotes that are referred to so far, in the order of their numbers. */
  get footnotes(): readonly Footnote[] {
    return [...this.#footnotes.values()]
  }

  /** Gives what was asked since the last call. */
  takeQuestions(): readonly Question[] {
    const questions = this.#questions
    this.#questions = []
    return questions
  }

  /** Where a label leads; undefined when nothing defines it, or the budget is used up. */
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
    this.#questions.push({ ask: 'link', label, answer })
    return answer
  }

  /** Whether a label is that of a footnote. */
  isFootnote(label: string): boolean {
    const answer = this.#definitions.footnotes.has(label)
    this.#questions.push({ ask: 'footnote', label, answer })
    return answer
  }

  /** Counts a reference to a footnote; null when there is no such footnote. */
  refer(label: string): Footnote | null {
    const known = this.#footnotes.get(label)
    const number = known?.number ?? this.#footnotes.size + 1
    const answer = this.#definitions.footnotes.has(label)
      ? { label, number, references: (known?.references ?? 0) + 1 }
      : null
    if (answer !== null) {
      this.#footnotes.set(label, answer)
      this.#undo?.push(() => {
        if (known === undefined) this.#footnotes.delete(label)
        else this.#footnotes.set(label, known)
      })
    }
    this.#questions.push({ ask: 'reference', label, answer })
    return answer
  }

  /** Gives a heading an id of its own: a number follows the second of the same name. */
  headingId(slug: string): string {
    const before = this.#slugs.get(slug)
    let answer = slug
    let count = before ?? 0
    while (this.#slugs.has(answer)) answer = `${slug}-${++count}`
    this.#slugs.set(slug, count)
    if (answer !== slug) this.#slugs.set(answer, 0)
    this.#undo?.push(() => {
      if (answer !== slug) this.#slugs.delete(answer)
      if (before === undefined) this.#slugs.delete(slug)
      else this.#slugs.set(slug, before)
    })
    this.#questions.push({ ask: 'id', slug, answer })
    return answer
  }

  /** Whether so much more code may be highlighted. */
  mayHighlight(length: number): boolean {
    const answer = length <= this.#highlightLeft
    if (answer) {
      this.#highlightLeft -= length
      this.#undo?.push(() => {
        this.#highlightLeft += length
      })
    }
    this.#questions.push({ ask: 'highlight', length, answer })
    return answer
  }

  /**
   * Asks again what a part asked when it was rendered.
   *
   * @returns whether all answers are the same as then; if not, it is as if nothing had been asked
   */
  replay(questions: readonly Question[]): boolean {
    if (questions.length === 0) return true
    this.#undo = []
    const isSame = questions.every((question) => this.#repeats(question))
    if (!isSame) for (const undo of this.#undo.toReversed()) undo()
    this.#undo = null
    this.#questions = []
    return isSame
  }

  #repeats(question: Question): boolean {
    switch (question.ask) {
      case 'link': {
        const answer = this.link(question.label)
        return answer?.href === question.answer?.href && answer?.title === question.answer?.title
      }
      case 'footnote':
        return this.isFootnote(question.label) === question.answer
      case 'reference': {
        const answer = this.refer(question.label)
        return (
          answer?.number === question.answer?.number &&
          answer?.references === question.answer?.references
        )
      }
      case 'id':
        return this.headingId(question.slug) === question.answer
      case 'highlight':
        return this.mayHighlight(question.length) === question.answer
    }
  }
}
