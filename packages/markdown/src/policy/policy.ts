/**
 * A rule for the value of an attribute. If a value does not match, the attribute is removed.
 *
 * - `text`: any value, because it is only shown
 * - `flag`: a boolean attribute; its value is dropped
 * - `number`: up to nine digits, with an optional minus
 * - `span`: 1 to 999 (columns, rows)
 * - `length`: up to five digits, with an optional `px` or `%`
 * - `id`: begins with the policy's prefix and contains no white space or dots after it
 * - `link`, `media`: a URL with one of the policy's schemes
 * - `oneOf`: one of these values, which must be in lower case; in a text they may be in any case
 * - `tokens`: words of this list; other words are removed. A `*` at the end matches letters and
 *   digits of any script and `+ # . _ -`, at most 40 characters. A `*` at the start matches letters
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

/** The rule for an element that may appear in rendered HTML. */
export interface ElementRule {
  /** The allowed attributes, in addition to the policy's global ones. */
  readonly attributes?: Readonly<Record<string, AttributeRule>>
  /** Attributes without which the element is removed. */
  readonly requires?: readonly string[]
  /** The allowed parent elements. If omitted, all are allowed. */
  readonly parents?: readonly string[]
  /** The allowed child elements. If omitted, all are allowed. */
  readonly children?: readonly string[]
  /** Elements that must not contain this element, at any depth. */
  readonly notInside?: readonly string[]
  /** True for elements without an end tag. */
  readonly void?: true
}

/** A site whose players may be framed. Only https URLs are allowed. */
export interface EmbedHost {
  /** The full host name, with the port if it is not 443. */
  readonly host: string
  /** The name of the site, for the title of frames without one. */
  readonly name: string
  /** A regular expression that the whole path must match. If omitted, all paths are allowed. */
  readonly path?: string
  /** The frame's sandbox tokens, separated by spaces; `''` for the strictest sandbox. */
  readonly sandbox: string
}

/**
 * The elements and attributes that rendered HTML may contain. Other tags are removed, but their
 * text is kept.
 */
export interface RenderPolicy {
  readonly elements: Readonly<Record<string, ElementRule>>
  /** Attributes that every element may have. */
  readonly globalAttributes: Readonly<Record<string, AttributeRule>>
  /** Schemes of links and of media, without the colon. `https` includes relative URLs. */
  readonly schemes: { readonly link: readonly string[]; readonly media: readonly string[] }
  readonly embeds: readonly EmbedHost[]
  /** The `rel` of links to other pages. */
  readonly linkRel: string
  /** The prefix of each id, so that no id in a text can shadow one of the page (DOM clobbering). */
  readonly idPrefix: string
  /** The maximum depth of nested elements. */
  readonly maxDepth: number
}
