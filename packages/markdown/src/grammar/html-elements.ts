// Elements whose content is never shown as HTML: browsers read it as text or, in the last two, do
// not show it. https://html.spec.whatwg.org/multipage/parsing.html#parsing-html-fragments
const textHolders: ReadonlySet<string> = new Set(
  'iframe noembed noframes plaintext script style textarea title xmp template noscript'.split(' '),
)
const voidElements: ReadonlySet<string> = new Set(
  'area base br col embed frame hr image img input link meta param source track wbr'.split(' '),
)
const cells = ['td', 'th']
const rows = ['tr', ...cells]
const rowGroups = ['thead', 'tbody', 'tfoot', 'caption', ...rows]
const ended: ReadonlyMap<string, readonly string[]> = new Map([
  ['li', ['li']],
  ['dt', ['dt', 'dd']],
  ['dd', ['dt', 'dd']],
  ['rt', ['rt', 'rp']],
  ['rp', ['rt', 'rp']],
  ['td', cells],
  ['th', cells],
  ['tr', rows],
  ['thead', rowGroups],
  ['tbody', rowGroups],
  ['tfoot', rowGroups],
])
const endsParagraph: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre search section summary table ul'
  ).split(' '),
)

/** Whether the content of an element is removed together with its tags: it is never HTML. */
export function holdsText(name: string): boolean {
  return textHolders.has(name)
}

/** Whether an element has no end tag. */
export function isVoidElement(name: string): boolean {
  return voidElements.has(name)
}

/**
 * Returns the elements that end where an element begins, because their end tags may be omitted.
 *
 * @see https://html.spec.whatwg.org/multipage/syntax.html#optional-tags
 */
export function endedBy(name: string): readonly string[] | undefined {
  return ended.get(name)
}

/** Whether a browser ends an open paragraph where an element begins. */
export function doesEndParagraph(name: string): boolean {
  return endsParagraph.has(name)
}
