/**
 * Elements whose content browsers read as text: what looks like a tag in them is none.
 *
 * @see https://html.spec.whatwg.org/multipage/parsing.html#parsing-html-fragments
 */
export const textElements: ReadonlySet<string> = new Set(
  'iframe noembed noframes plaintext script style textarea title xmp'.split(' '),
)
