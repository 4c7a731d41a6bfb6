import { normalizeLabel } from '../grammar/link-parts.ts'

// As src/rendering/syntax reads them.
const marker = /\[\^([^\s[\]]{1,100})\]:[ \t]*/y
const reference = /\[\^([^\s[\]]{1,100})\]/y

/** The marker that begins a footnote definition, `[^label]:`. */
export interface FootnoteMarker {
  /** Normalized. */
  readonly label: string
  /** Position of the footnote's content: after the marker and the white space that follows. */
  readonly after: number
}

/** The footnote definition that begins at `from`; null when none does. */
export function matchFootnoteMarker(text: string, from: number): FootnoteMarker | null {
  marker.lastIndex = from
  const label = marker.exec(text)?.[1]
  return label === undefined ? null : { label: normalizeLabel(label), after: marker.lastIndex }
}

/** Position after the reference `[^label]` at `from` to one of these footnotes; -1 when there is none. */
export function footnoteReferenceEnd(
  text: string,
  from: number,
  footnotes: ReadonlySet<string>,
): number {
  if (footnotes.size === 0 || text[from + 1] !== '^') return -1
  reference.lastIndex = from
  const label = reference.exec(text)?.[1]
  return label !== undefined && footnotes.has(normalizeLabel(label)) ? reference.lastIndex : -1
}
