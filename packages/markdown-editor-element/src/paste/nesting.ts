/** Browsers take quadratic time for elements that are open at once. */
const MAX_NESTING = 500
// In characters of the source, with some more for each element.
const MAX_REOPENED = 20_000_000
const ELEMENT = 20

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '))

// Void elements, and those that the next of their kind ends.
const UNCOUNTED = words(
  'area base br col embed hr img input link meta source track wbr html head body ' +
    'p li dd dt tr td th tbody thead tfoot caption colgroup option optgroup',
)
// Browsers reopen these elements after a block that ends before them.
const FORMATTING = words('a b big code em font i nobr s small strike strong tt u')
// Other end tags than theirs do not reach through them.
const BOUNDARIES = words(
  'table template object applet marquee svg math foreignobject desc title annotation-xml',
)
// The end tag of an element that browsers give no meaning does not reach through these.
const SPECIAL = words(
  'address article aside blockquote button center details dialog dir div dl fieldset figcaption figure footer form ' +
    'frameset h1 h2 h3 h4 h5 h6 header hgroup iframe listing main menu nav noscript ol pre search section select summary ul',
)
const TEXT_ONLY = words('script style textarea title xmp iframe noembed noframes')
const TABLE_PARTS = words('table template')

// HTML that browsers end a drawing or a formula for.
const BREAKOUT = words('ruby span sub sup var')

// A comment, what is taken for one, or a tag.
const TAG = /<(?:!--|[!?]|\/(?![a-z])|(\/?)([a-z][^\s/>]*))/gi
const ATTRIBUTE = /[\s/]*(?:(>)|=?[^\s/>=]*\s*(?:=\s*(?:"[^"]*"|'[^']*'|[^\s>"'][^\s>]*)?)?)/y

/** True for HTML that nests too deep, or whose unclosed marks are reopened too often. */
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
    else if (!TEXT_ONLY.has(name)) open.push(name, html[end - 2] === '/', end - match.index)
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
  return SPECIAL.has(name) || FORMATTING.has(name) || BREAKOUT.has(name)
}

class OpenElements {
  readonly #open: { readonly name: string; readonly size: number }[] = []
  /** Formatting that an end tag of something else went past. */
  #left = 0
  /** The number of elements that each further element may reopen, and their sum. */
  #formatting = 0
  #reopened = 0
  #foreign = 0

  get isTooDeep(): boolean {
    return this.#open.length + this.#left > MAX_NESTING || this.#reopened > MAX_REOPENED
  }

  /** Whether other rules than those of HTML may hold. */
  get isForeign(): boolean {
    return this.#foreign > 0
  }

  push(name: string, closesItself: boolean, length: number): void {
    this.#reopened += this.#formatting
    if (UNCOUNTED.has(name) || (closesItself && this.isForeign && !isHtml(name))) return
    const size = FORMATTING.has(name) ? length + ELEMENT : 0
    this.#open.push({ name, size })
    this.#formatting += size
    if (isDrawing(name)) this.#foreign++
  }

  close(name: string): void {
    const boundaries = name === 'table' ? TABLE_PARTS : BOUNDARIES
    const stopsAtAll = name !== 'table' && !SPECIAL.has(name)
    for (let at = this.#open.length - 1; at >= 0; at--) {
      const other = this.#open[at]?.name ?? ''
      if (other === name) {
        for (const past of this.#open.splice(at)) this.#end(past.name, past.size, name)
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

  #end(past: string, size: number, name: string): void {
    if (past === name) this.#formatting -= size
    else if (size > 0) this.#left++
    if (isDrawing(past)) this.#foreign--
  }
}

function isDrawing(name: string): boolean {
  return name === 'svg' || name === 'math'
}
