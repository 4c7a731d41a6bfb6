/** The maximum number of open elements. Parsing time grows with the square of this number. */
const MAX_NESTING = 500
const words = (list: string): ReadonlySet<string> => new Set(list.split(' '))

// Void elements, and elements that end when the next one of their kind begins.
const UNCOUNTED = words(
  'area base br col embed hr img input link meta source track wbr html head body ' +
    'p li dd dt tr td th tbody thead tfoot caption colgroup option optgroup',
)
// An end tag also closes these elements. If any other element is open, the end tag is ignored.
const INLINE = words('a b big code em font i s small span strong strike tt u')
const TEXT_ONLY = words('script style textarea title xmp iframe noembed noframes')

// The white space of HTML. The other white space that `\s` matches is part of names and values.
const SPACE = String.raw`\t\n\f\r `
// Matches the start of a comment, of anything that browsers parse as a comment, or of a tag.
const TAG = new RegExp(`<(?:!--|[!?]|/(?![a-z])|(/?)([a-z][^${SPACE}/>]*))`, 'gi')
const NAME = `(?:=[^${SPACE}/>=]*|[^${SPACE}/>=]+)`
const VALUE = `(?:"[^"]*"|'[^']*'|[^${SPACE}>"'][^${SPACE}>]*)`
const ATTRIBUTE = new RegExp(`[${SPACE}/]*${NAME}[${SPACE}]*(?:=[${SPACE}]*${VALUE}?)?`, 'y')
const TAG_END = new RegExp(`[${SPACE}/]*>`, 'y')
const COMMENT_END = /-?>|.*?--!?>/sy

/** Returns whether HTML is nested too deeply. May overestimate the depth of invalid HTML. */
export function isNestedTooDeep(html: string): boolean {
  const open: string[] = []
  // True after the start of an SVG or MathML element. Such elements have other parsing rules.
  // Content that these rules may parse differently is rejected.
  let isForeign = false
  TAG.lastIndex = 0
  for (let match = TAG.exec(html); match !== null; match = TAG.exec(html)) {
    const [all, slash, written = ''] = match
    const name = written.toLowerCase()
    let end = TAG.lastIndex
    if (all === '<!--') end = endOf(COMMENT_END, html, end)
    else if (name === '') {
      if (isForeign && html.startsWith('[CDATA[', end)) return true
      end = endOf(/>/g, html, end)
    } else {
      end = tagEnd(html, end)
      isForeign ||= name === 'svg' || name === 'math'
      if (slash === '/') close(open, name, isForeign)
      else if (!TEXT_ONLY.has(name)) {
        if (!UNCOUNTED.has(name) && open.push(name) > MAX_NESTING) return true
      } else if (!isForeign) end = endOf(textEnd(name), html, end)
      else if (!html.startsWith(`</${name}`, html.indexOf('<', end))) return true
    }
    if (end === -1) return false
    TAG.lastIndex = end
  }
  return false
}

function close(open: string[], name: string, isForeign: boolean): void {
  let at = open.length - 1
  while (!isForeign && at >= 0 && open[at] !== name && INLINE.has(open[at] ?? '')) at--
  if (open[at] === name) open.length = at
}

function tagEnd(html: string, from: number): number {
  let end = from
  for (let next = from; next !== -1; next = endOf(ATTRIBUTE, html, end)) end = next
  return endOf(TAG_END, html, end)
}

function textEnd(name: string): RegExp {
  return new RegExp(`</${name}(?=[${SPACE}/>])`, 'gi')
}

function endOf(pattern: RegExp, html: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(html) ? pattern.lastIndex : -1
}
