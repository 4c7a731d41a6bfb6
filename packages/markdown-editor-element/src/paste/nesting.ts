/** The maximum number of open elements. Parsing time grows with the square of this number. */
const MAX_NESTING = 500
const words = (list: string): ReadonlySet<string> => new Set(list.split(' '))

// Elements that are not counted: void elements, and elements that end when the next one of their
// kind begins.
const UNCOUNTED = words(
  'area base br col embed hr img input link meta source track wbr html head body ' +
    'p li dd dt tr td th tbody thead tfoot caption colgroup option optgroup',
)
// An end tag also ends these elements if they are open inside its element. If another element is
// open there, the end tag is not counted.
const INLINE = words('a b big code em font i s small span strong strike tt u')
const TEXT_ONLY = words('script style textarea title xmp iframe noembed noframes')

// Matches the start of a comment, of anything that browsers parse as a comment, or of a tag.
const TAG = /<(?:!--|[!?]|\/(?![a-z])|(\/?)([a-z][^\s/>]*))/gi
const ATTRIBUTE = /[\s/]*(?:(>)|=?[^\s/>=]*\s*(?:=\s*(?:"[^"]*"|'[^']*'|[^\s>"'][^\s>]*)?)?)/y

/**
 * Returns whether HTML is nested too deeply. Elements that browsers close only by error correction
 * count as open, so invalid HTML can be rejected although browsers would nest it less deeply.
 */
export function isNestedTooDeep(html: string): boolean {
  const open: string[] = []
  // SVG and MathML have different parsing rules.
  let isForeign = false
  TAG.lastIndex = 0
  for (let match = TAG.exec(html); match !== null; match = TAG.exec(html)) {
    const [all, slash, written] = match
    if (written === undefined) {
      if (isForeign && html.startsWith('[CDATA[', TAG.lastIndex)) return true
      const end =
        all === '<!--' ? commentEnd(html, TAG.lastIndex) : html.indexOf('>', TAG.lastIndex) + 1
      if (end <= 0) return false
      TAG.lastIndex = end
      continue
    }
    const name = written.toLowerCase()
    const end = tagEnd(html, TAG.lastIndex)
    TAG.lastIndex = end
    isForeign ||= name === 'svg' || name === 'math'
    if (slash === '/') close(open, name, isForeign)
    else if (!TEXT_ONLY.has(name)) {
      if (!UNCOUNTED.has(name) && open.push(name) > MAX_NESTING) return true
    } else if (!isForeign) TAG.lastIndex = textEnd(html, name, end)
    else if (!html.startsWith(`</${name}`, html.indexOf('<', end))) return true
  }
  return false
}

function close(open: string[], name: string, isForeign: boolean): void {
  let at = open.length - 1
  while (!isForeign && at >= 0 && open[at] !== name && INLINE.has(open[at] ?? '')) at--
  if (open[at] === name) open.length = at
}

function commentEnd(html: string, from: number): number {
  const end = /^-?>/.exec(html.slice(from, from + 2))?.[0].length
  if (end !== undefined) return from + end
  const pattern = /--!?>/g
  pattern.lastIndex = from
  return pattern.test(html) ? pattern.lastIndex : -1
}

function textEnd(html: string, name: string, from: number): number {
  const pattern = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
  pattern.lastIndex = from
  return pattern.exec(html)?.index ?? html.length
}

function tagEnd(html: string, from: number): number {
  ATTRIBUTE.lastIndex = from
  for (let at = from; at < html.length; at = ATTRIBUTE.lastIndex) {
    const match = ATTRIBUTE.exec(html)
    if (match === null) return at
    if (match[1] !== undefined) return ATTRIBUTE.lastIndex
    // If a closing quotation mark is missing, the tag has no end.
    if (ATTRIBUTE.lastIndex === at) return html.length
  }
  return html.length
}
