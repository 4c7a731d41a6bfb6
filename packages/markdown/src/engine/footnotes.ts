import type { Token } from 'markdown-it'
import type { Footnote } from '../document/document-state.ts'
import { footnoteId, referenceId } from '../writing/footnote-ids.ts'
import type { TokenFactory } from './token-factory.ts'
import type { Note, Unit } from './unit.ts'

// Of one footnote; more are of no use to a reader.
const maxBacklinks = 100

/**
 * Takes the definitions of footnotes out of block tokens.
 *
 * @returns what is left, and the definitions
 */
export function takeOutNotes(tokens: Token[]): { body: Token[]; notes: Note[] } {
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

/** A footnote that is referred to, with its content. */
export interface WrittenFootnote extends Footnote {
  readonly note: Note
}

/**
 * Finds the content of the footnotes that are referred to; of two definitions of one label the first counts.
 */
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
 * Gives the tokens of the section at the end of a document. A footnote links back to its first 100 references.
 *
 * @param idPrefix - what each id begins with
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

// The links stand in the last paragraph, if the footnote ends with one.
function withBacklinks(content: readonly Token[], links: Token): Token[] {
  const end = content.at(-1)?.type === 'paragraph_close' ? content.length - 1 : content.length
  return [...content.slice(0, end), links, ...content.slice(end)]
}
