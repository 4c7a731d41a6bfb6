import type { Token } from 'markdown-it'
import type { Footnote } from '../document/document-state.ts'
import type { WrittenFootnote } from '../writing/token-writer.ts'
import type { Note, Segment } from './segment.ts'

/**
 * Separates the content of footnotes from the other tokens. Moves the closing token of a footnote
 * into its last paragraph, because the links back to the references are written at this token.
 */
export function extractNotes(tokens: Token[]): { body: Token[]; notes: Note[] } {
  if (!tokens.some(({ type }) => type === 'footnote_open')) return { body: tokens, notes: [] }
  const body: Token[] = []
  const notes: Note[] = []
  const targets = [body]
  for (const token of tokens) {
    if (token.type === 'footnote_close') {
      const content = targets.pop() ?? []
      content.splice(content.at(-1)?.type === 'paragraph_close' ? -1 : content.length, 0, token)
    } else if (token.type === 'footnote_open') {
      const content: Token[] = []
      targets.push(content)
      notes.push({ label: String(token.meta?.['label']), tokens: content })
    } else targets.at(-1)?.push(token)
  }
  return { body, notes }
}

/** Returns footnotes with their content. If a label has several definitions, uses the first. */
export function findNotes(
  footnotes: readonly Footnote[],
  segments: readonly Segment[],
): WrittenFootnote[] {
  if (footnotes.length === 0) return []
  const contents = new Map<string, readonly Token[]>()
  for (const segment of segments) {
    for (const { label, tokens } of segment.notes) {
      if (!contents.has(label)) contents.set(label, tokens)
    }
  }
  return footnotes.flatMap((footnote) => {
    const content = contents.get(footnote.label)
    return content === undefined ? [] : [{ ...footnote, content }]
  })
}
