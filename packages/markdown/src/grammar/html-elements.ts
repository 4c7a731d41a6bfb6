/**
 * Elements whose content browsers hide or read as text. The content is removed up to the end tag.
 *
 * @see https://html.spec.whatwg.org/multipage/parsing.html#parsing-html-fragments
 */
export const textHolders: ReadonlySet<string> = new Set(
  'iframe noembed noframes plaintext script style textarea title xmp template noscript'.split(' '),
)
/** Elements without an end tag. */
export const voidElements: ReadonlySet<string> = new Set(
  'area base br col embed frame hr image img input link meta param source track wbr'.split(' '),
)
const cells = ['td', 'th']
const rows = ['tr', ...cells]
const rowGroups = ['thead', 'tbody', 'tfoot', 'caption', ...rows]
/**
 * The open elements that a start tag closes, by start tag. Authors may omit their end tags.
 *
 * @see https://html.spec.whatwg.org/multipage/syntax.html#optional-tags
 */
export const endedBy: ReadonlyMap<string, readonly string[]> = new Map([
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
/** Elements whose start tag makes a browser close an open paragraph. */
export const paragraphEnders: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre search section summary table ul'
  ).split(' '),
)
