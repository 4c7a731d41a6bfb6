/**
 * What a value must be to stay.
 *
 * - `text`: anything, it is only shown
 * - `flag`: a boolean attribute; its value is dropped
 * - `number`: up to nine digits, with an optional minus
 * - `span`: 1 to 999 (columns, rows)
 * - `length`: digits, with an optional `px` or `%`
 * - `id`: begins with the policy's prefix, then neither white space nor dots
 * - `link`, `media`: a URL of one of the policy's schemes
 * - `oneOf`: one of these values, which are in lower case; a text may have them in any
 * - `tokens`: those of the words that are listed; a final `*` stands for letters and digits of any script and
 *   `+ # . _ -`, at most 40 characters; a first one stands for letters
 */
export type AttributeRule =
  | 'text'
  | 'flag'
  | 'number'
  | 'span'
  | 'length'
  | 'id'
  | 'link'
  | 'media'
  | { readonly oneOf: readonly string[] }
  | { readonly tokens: readonly string[] }

/** An element that may appear in rendered HTML, and where. */
export interface ElementRule {
  /** Attributes that may stay, beside the policy's global ones. */
  readonly attributes?: Readonly<Record<string, AttributeRule>>
  /** Attributes without which the element is dropped. */
  readonly requires?: readonly string[]
  /** The elements that it may stand in; without it, any. */
  readonly parents?: readonly string[]
  /** The elements that may stand directly in it; without it, any. */
  readonly children?: readonly string[]
  /** Elements that it must not stand in, at any depth. */
  readonly notInside?: readonly string[]
  /** True for elements without an end tag. */
  readonly void?: true
}

/** A site whose players may be framed. Only https addresses on the default port count. */
export interface EmbedHost {
  /** The host name, in full. */
  readonly host: string
  /** The start of the title that a frame without one gets. */
  readonly name: string
  /** A regular expression that the whole path must match; without it, any path. */
  readonly path?: string
  /** The frame's sandbox tokens, with spaces between them; '' for the strictest sandbox. */
  readonly sandbox: string
}

/**
 * What rendered HTML may contain. All that is not listed loses its tags and keeps its text.
 */
export interface RenderPolicy {
  readonly elements: Readonly<Record<string, ElementRule>>
  /** Attributes that every element may have. */
  readonly globalAttributes: Readonly<Record<string, AttributeRule>>
  /** Schemes of links and of media, without the colon; `https` stands for relative URLs too. */
  readonly schemes: { readonly link: readonly string[]; readonly media: readonly string[] }
  readonly embeds: readonly EmbedHost[]
  /** The `rel` of links that lead out of the text. */
  readonly linkRel: string
  /** What each id begins with, so that none can take the place of a page's own (DOM clobbering). */
  readonly idPrefix: string
  /** How many elements may stand inside each other. */
  readonly maxDepth: number
}
