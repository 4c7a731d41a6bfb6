/**
 * What kind of syntax refers to the URL:
 * - `image`, `link`: the destination of an inline image or link
 * - `definition`: the destination of a link reference definition that at least one image or link uses
 * - `autolink`: `<https://…>`; `bare`: an address without any marks, which GitHub Flavored Markdown makes a link
 * - `html`: an attribute by which raw HTML embeds media (`src`, `srcset`, `poster`)
 * - `anchor`: the `href` of a raw HTML `<a>`
 */
export type ReferenceKind =
  | 'image'
  | 'link'
  | 'definition'
  | 'autolink'
  | 'bare'
  | 'html'
  | 'anchor'

/** Where a text refers to a URL. Positions count UTF-16 code units, as `String.prototype.slice` does. */
export interface ReferencePosition {
  readonly kind: ReferenceKind
  /** Position of the URL's first character in the text. */
  readonly start: number
  /** Position after its last character. */
  readonly end: number
}

/** A URL that a text refers to, and where. */
export interface Reference extends ReferencePosition {
  /** What the URL is: backslash escapes and character references decoded, nothing percent-encoded or punycoded. */
  readonly url: string
  /** How the text spells it: `text.slice(start, end)`. */
  readonly raw: string
}

/** Hears of a reference, with positions in the text that is read. */
export type OnReference = (kind: ReferenceKind, start: number, end: number) => void
