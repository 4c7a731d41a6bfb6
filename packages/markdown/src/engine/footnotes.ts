import type { Token } from 'markdown-it'
import type { Footnote } from '../document/document-state.ts'
import { footnoteId, referenceId } from '../writing/ids.ts'
import type { Note, Unit } from './unit.ts'

type TokenClass = new (type: string, tag: string, nesting: -1 | 0 | 1) => Token
type Attributes = readonly (readonly [name: string, value: string])[]

// A footnote links back to this many references at most. More are of no use to a reader.
const maxBacklinks = 100

/** Creates tokens like those of markdown-it's rules. */
export class TokenFactory {
  readonly #token: TokenClass

  constructor(token: TokenClass) {
    this.#token = token
  }

  /** Creates a tag on a line of its own. */
  block(name: string, nesting: 1 | -1, attributes: Attributes = []): Token {
    return Object.assign(this.tag(name, nesting, attributes), { block: true })
  }

  /** Creates a tag within a line. */
  tag(name: string, nesting: 1 | -1, attributes: Attributes = []): Token {
    return Object.assign(new this.#token(`made_${name}`, name, nesting), { attrs: [...attributes] })
  }

  text(content: string): Token {
    return Object.assign(new this.#token('text', '', 0), { content })
  }

  /** Creates the inline content of a block. */
  inline(children: Token[]): Token {
    return Object.assign(new this.#token('inline', '', 0), { children, block: true })
  }
}

/** Separates the definitions of footnotes from the other block tokens. */
export function extractNotes(tokens: Token[]): { body: Token[]; notes: Note[] } {
  if (!tokens.some(({ type }) => type === 'footnote_open')) return { body: tokens, notes: [] }
  const body: Token[] = []
  const notes: Note[] = []
  const targets = [body]
  for (const token of tokens) {
    if (token.type === 'footnote_close') targets.pop()
    else if (token.type === 'footnote_open') {
      const content: Token[] = []
      targets.push(content)
      notes.push({ label: String(token.meta?.['label']), tokens: content })
    } else targets.at(-1)?.push(token)
  }
  return { body, notes }
}

/** A footnote with at least one reference, and its content. */
export interface WrittenFootnote extends Footnote {
  readonly note: Note
}

/** Finds the content of footnotes. If a label has two definitions, the first one is used. */
export function findNotes(
  footnotes: readonly Footnote[],
  units: readonly Unit[],
): WrittenFootnote[] {
  if (footnotes.length === 0) return []
  const notes = new Map<string, Note>()
  for (const unit of units) {
    for (const note of unit.notes) if (!notes.has(note.label)) notes.set(note.label, note)
  }
  return footnotes.flatMap((footnote) => {
    const note = notes.get(footnote.label)
    return note === undefined ? [] : [{ ...footnote, note }]
  })
}

/**
 * Creates the tokens of the footnotes at the end of a document, with links back to the references.
 */
export function footnoteSection(
  footnotes: readonly WrittenFootnote[],
  idPrefix: string,
  make: TokenFactory,
): Token[] {
  const items = footnotes.flatMap((footnote) => [
    make.block('li', 1, [['id', idPrefix + footnoteId(footnote.number)]]),
    ...withBacklinks(footnote.note.tokens, make.inline(backlinks(footnote, idPrefix, make))),
    make.block('li', -1),
  ])
  return [
    make.block('section', 1, [['class', 'footnotes']]),
    make.block('ol', 1),
    ...items,
    make.block('ol', -1),
    make.block('section', -1),
  ]
}

function backlinks(
  { number, references }: Footnote,
  idPrefix: string,
  make: TokenFactory,
): Token[] {
  return Array.from({ length: Math.min(references, maxBacklinks) }, (_, index) => [
    make.text(' '),
    make.tag('a', 1, [
      ['href', `#${idPrefix}${referenceId(number, index + 1)}`],
      ['class', 'footnote-backref'],
      ['aria-label', `Back to reference ${number}${index === 0 ? '' : `-${index + 1}`}`],
    ]),
    make.text('↩'),
    ...(index === 0 ? [] : [make.tag('sup', 1), make.text(String(index + 1)), make.tag('sup', -1)]),
    make.tag('a', -1),
  ]).flat()
}

// The links go into the last paragraph if the footnote ends with one.
function withBacklinks(content: readonly Token[], links: Token): Token[] {
  const end = content.at(-1)?.type === 'paragraph_close' ? content.length - 1 : content.length
  return [...content.slice(0, end), links, ...content.slice(end)]
}
