/**
 * A rule for the value of an attribute. If a value does not match its rule, the attribute is
 * removed.
 *
 * - `text`: any value. Use this rule only for attributes that browsers show as text.
 * - `flag`: a boolean attribute. It is written without a value.
 * - `number`: up to nine digits, with an optional minus.
 * - `span`: 1 to 999 columns or rows.
 * - `length`: up to five digits, with an optional `px` or `%`.
 * - `id`: the policy's prefix, followed by characters except white space and dots.
 * - `link`, `media`: a URL with one of the policy's schemes.
 * - `oneOf`: one of these values, which must be in lower case. The case of the value is ignored.
 * - `tokens`: a list of words. Words that are not in this list are removed. A `*` at the end of a
 *   listed word matches up to 40 letters and digits of any script, and `+ # . _ -`. A `*` at the
 *   start matches up to 40 ASCII letters.
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
  /** The allowed attributes, in addition to the policy's global attributes. */
  readonly attributes?: Readonly<Record<string, AttributeRule>>
  /** Required attributes. If one is missing, the tags are removed, and the text is kept. */
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
  /** The name of the site. A frame without a title gets a title such as `Vimeo embed`. */
  readonly name: string
  /** A regular expression that the whole path must match. If omitted, all paths are allowed. */
  readonly path?: string
  /** The frame's sandbox tokens, separated by spaces. The strictest sandbox is `''`. */
  readonly sandbox: string
}

/**
 * The elements and attributes that rendered HTML may contain. Other tags are removed. Their text is
 * kept, except the content of elements such as `script`.
 */
export interface RenderPolicy {
  readonly elements: Readonly<Record<string, ElementRule>>
  /** Attributes that every element may have. */
  readonly globalAttributes: Readonly<Record<string, AttributeRule>>
  /** The allowed schemes of links and of media, without the colon. `https` allows relative URLs. */
  readonly schemes: { readonly link: readonly string[]; readonly media: readonly string[] }
  readonly embeds: readonly EmbedHost[]
  /** The `rel` of links to other pages. */
  readonly linkRel: string
  /** The prefix of each id. It prevents ids that hide variables of the page (DOM clobbering). */
  readonly idPrefix: string
  /** The maximum depth of nested elements. */
  readonly maxDepth: number
}
