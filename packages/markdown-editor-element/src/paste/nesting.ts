/** Browsers take quadratic time for elements that are open at once. */
const MAX_NESTING = 500
const words = (list: string): ReadonlySet<string> => new Set(list.split(' '))

// Void elements, and those that the next of their kind ends.
const UNCOUNTED = words(
  'area base br col embed hr img input link meta source track wbr html head body ' +
    'p li dd dt tr td th tbody thead tfoot caption colgroup option optgroup',
)
// An end tag of another element closes nothing outside of these.
const BOUNDARIES = words(
  'table template object applet marquee svg math foreignobject desc title annotation-xml',
)
// An end tag of an ordinary element, such as `span`, closes nothing outside of these.
const SPECIAL = words(
  'address article aside blockquote button center details dialog dir div dl fieldset figcaption figure footer form ' +
    'frameset h1 h2 h3 h4 h5 h6 header hgroup iframe listing main menu nav noscript ol pre search section select summary ul',
)
const TEXT_ONLY = words('script style textarea title xmp iframe noembed noframes')
const TABLE_PARTS = words('table template')

// Elements that end a drawing (SVG) or a formula (MathML) around them.
const BREAKOUT = words('ruby span sub sup var')

// A comment, what is taken for one, or a tag.
const TAG = /<(?:!--|[!?]|\/(?![a-z])|(\/?)([a-z][^\s/>]*))/gi
const ATTRIBUTE = /[\s/]*(?:(>)|=?[^\s/>=]*\s*(?:=\s*(?:"[^"]*"|'[^']*'|[^\s>"'][^\s>]*)?)?)/y

/** True for HTML that nests too deep. Formatting elements are like any others: see `renameParts`. */
export function isNestedTooDeep(html: string): boolean {
  const open = new OpenElements()
  TAG.lastIndex = 0
  for (let match = TAG.exec(html); match !== null && !open.isTooDeep; match = TAG.exec(html)) {
    const [all, slash, written] = match
    if (written === undefined) {
      if (html.startsWith('[CDATA[', TAG.lastIndex) && open.isForeign) return true
      const end =
        all === '<!--' ? commentEnd(html, TAG.lastIndex) : html.indexOf('>', TAG.lastIndex) + 1
      if (end <= 0) return false
      TAG.lastIndex = end
      continue
    }
    const name = written.toLowerCase()
    const end = tagEnd(html, TAG.lastIndex)
    TAG.lastIndex = end
    if (slash === '/') open.close(name)
    else if (!TEXT_ONLY.has(name)) open.push(name, html[end - 2] === '/')
    else if (!open.isForeign) TAG.lastIndex = textEnd(html, name, end)
    else if (!html.startsWith(`</${name}`, html.indexOf('<', end))) return true
  }
  return open.isTooDeep
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
    // An opening quotation mark that nothing closes.
    if (ATTRIBUTE.lastIndex === at) return html.length
  }
  return html.length
}

function isHtml(name: string): boolean {
  return SPECIAL.has(name) || BREAKOUT.has(name)
}

/** The elements that are open, with the rules that matter to their number. */
class OpenElements {
  readonly #open: string[] = []
  #foreign = 0

  get isTooDeep(): boolean {
    return this.#open.length > MAX_NESTING
  }

  /** Whether other rules than those of HTML may hold. */
  get isForeign(): boolean {
    return this.#foreign > 0
  }

  push(name: string, closesItself: boolean): void {
    if (UNCOUNTED.has(name) || (closesItself && this.isForeign && !isHtml(name))) return
    this.#open.push(name)
    if (isDrawing(name)) this.#foreign++
  }

  close(name: string): void {
    const boundaries = name === 'table' ? TABLE_PARTS : BOUNDARIES
    const stopsAtAll = name !== 'table' && !SPECIAL.has(name)
    for (let at = this.#open.length - 1; at >= 0; at--) {
      const other = this.#open[at] ?? ''
      if (other === name) {
        this.#foreign -= this.#open.splice(at).filter(isDrawing).length
        return
      }
      if (
        boundaries.has(other) ||
        (stopsAtAll && SPECIAL.has(other)) ||
        (isDrawing(name) && isHtml(other))
      )
        return
    }
  }
}

function isDrawing(name: string): boolean {
  return name === 'svg' || name === 'math'
}
