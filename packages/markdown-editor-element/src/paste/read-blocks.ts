import type { BlockContent, Code, Heading, PhrasingContent } from 'mdast'
import {
  attributeOf,
  findElement,
  type HtmlElement,
  type HtmlNode,
  hasClass,
  textOf,
} from './html-tree.ts'
import { BREAK, MARKS, type Run, toParagraphs, withoutStrong } from './inlines.ts'
import { addList, readList, readWordItem } from './read-list.ts'
import { readTable } from './read-table.ts'
import {
  type Declarations,
  declarationsOf,
  type Inherited,
  inherit,
  isHidden,
  isPreformatted,
  languageOf,
  type Source,
} from './styles.ts'
import { safeUrl } from './urls.ts'

declare module 'mdast' {
  interface CodeData {
    /** True for text from a code editor or a terminal. */
    verbatim?: boolean
  }
}

// The maximum number of containers (quotes, list items, cells) around a list, a quote or a table.
// Each container adds a prefix to all lines.
const MAX_CONTAINERS = 20
const BLOCKS: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary ' +
    'table tbody td tfoot th thead tr ul'
  ).split(' '),
)

const TEX = 'application/x-tex'
const EMOJI = /^\p{Extended_Pictographic}(?:\p{M}|\u200d|\p{Extended_Pictographic})*$/u

// Matches the class of an alert in GitHub's HTML, which is also a class in our renderer's HTML.
const ALERT = /(?:^|\s)markdown-alert-(note|tip|important|warning|caution)(?:\s|$)/

/** Converts HTML nodes to blocks. */
export function readBlocks(
  nodes: readonly HtmlNode[],
  inherited: Inherited,
  source: Source,
): BlockContent[] {
  const reader = new BlockReader(source)
  reader.readAll(nodes, inherited)
  return reader.end()
}

class BlockReader {
  readonly #source: Source
  readonly #blocks: BlockContent[] = []
  #runs: Run[] = []

  constructor(source: Source) {
    this.#source = source
  }

  readAll(nodes: readonly HtmlNode[], inherited: Inherited): void {
    for (const node of nodes) {
      if (typeof node === 'string') this.#readText(node, inherited)
      else this.#readElement(node, inherited)
    }
  }

  end(): BlockContent[] {
    for (const children of toParagraphs(this.#runs))
      this.#blocks.push({ type: 'paragraph', children })
    this.#runs = []
    return this.#blocks
  }

  #readText(text: string, { marks, link, pre }: Inherited): void {
    const lines = pre ? text.split(/\r\n?|\n/) : [text]
    lines.forEach((value, index) => {
      if (index > 0) this.#runs.push(BREAK)
      this.#runs.push({ node: { type: 'text', value }, marks, link })
    })
  }

  #readElement(element: HtmlElement, inherited: Inherited): void {
    const styles = declarationsOf(element, this.#source.sheet)
    if (isHidden(styles)) return
    // Slack separates paragraphs by an empty element.
    const isBlock = BLOCKS.has(element.name) || hasClass(element, /^c-mrkdwn__br$/)
    const inner = inherit(element, styles, inherited, isBlock, this.#source)
    if (!isBlock) {
      this.#readInline(element, inner)
      return
    }
    this.end()
    this.#readBlock(element, styles, inner)
    this.end()
  }

  #readBlock(element: HtmlElement, styles: Declarations, inner: Inherited): void {
    const { name, children } = element
    const level = /^h([1-6])$/.exec(name)?.[1]
    const listed = /\blevel(\d)\b/.exec(styles.get('mso-list') ?? '')?.[1]
    const alert = name === 'div' ? ALERT.exec(attributeOf(element, 'class'))?.[1] : undefined
    const blocks = this.#blocks
    if (isPreformatted(element, styles)) blocks.push(readCode(element, inner.language))
    else if (level !== undefined)
      this.#addHeading(Number(level) as Heading['depth'], element, inner)
    else if (listed !== undefined)
      addList(blocks, readWordItem(element, Number(listed), inner, this.#source))
    else if (name === 'hr') blocks.push({ type: 'thematicBreak' })
    else if (inner.depth > MAX_CONTAINERS) this.readAll(children, inner)
    else if (name === 'table')
      for (const block of readTable(element, inner, this.#source)) blocks.push(block)
    else if (/^(?:ul|ol|menu|dir)$/.test(name))
      for (const list of readList(element, inner, this.#source)) addList(blocks, list)
    else if (name === 'blockquote' || alert !== undefined) this.#addQuote(element, inner, alert)
    else this.readAll(children, inner)
  }

  #addQuote(element: HtmlElement, inner: Inherited, alert: string | undefined): void {
    const children = this.#source.read(element.children.filter(isNoAlertTitle), inner)
    if (children.length === 0) return
    if (alert !== undefined) children.unshift({ type: 'html', value: `[!${alert.toUpperCase()}]` })
    this.#blocks.push({ type: 'blockquote', children })
  }

  #addHeading(depth: Heading['depth'], element: HtmlElement, inner: Inherited): void {
    for (const block of this.#source.read(element.children, inner)) {
      if (block.type !== 'paragraph') {
        this.#blocks.push(block)
        continue
      }
      const children = withoutStrong(block.children.map(withoutBreaks))
      this.#blocks.push({ type: 'heading', depth, children })
    }
  }

  #readInline(element: HtmlElement, inner: Inherited): void {
    const { name, children } = element
    // The MathML of many pages contains the TeX source of the formula.
    const tex =
      name === 'math' && findElement(element, (each) => attributeOf(each, 'encoding') === TEX)
    if (name === 'br') this.#runs.push(BREAK)
    else if (name === 'img') this.#readImage(element, inner)
    else if (tex) {
      const value = textOf(tex).trim()
      this.#runs.push({ node: { type: 'text', value }, marks: MARKS.code, link: inner.link })
    } else if (!isSkipped(element)) this.readAll(children, inner)
  }

  #readImage(element: HtmlElement, { link }: Inherited): void {
    const alt = attributeOf(element, 'alt').replace(/\s+/g, ' ').trim()
    const url = safeUrl(attributeOf(element, 'src'), 'media', this.#source.origin)
    // Tracking pixels are invisible.
    const isPixel = ['width', 'height'].every((name) => attributeOf(element, name) === '1')
    if (alt !== '' && (hasClass(element, /emoji/i) || EMOJI.test(alt)))
      this.#runs.push({ node: { type: 'text', value: alt }, marks: 0, link })
    else if (url !== null && !isPixel)
      this.#runs.push({ node: { type: 'image', url, alt }, marks: 0, link })
  }
}

function isSkipped(element: HtmlElement): boolean {
  const { name } = element
  // Wikipedia's references to notes are removed, because the notes are not pasted.
  if (name === 'sup') return hasClass(element, /^reference$/)
  if (name === 'input' || name === 'rp') return true
  return attributeOf(element, 'aria-hidden') === 'true' || hasClass(element, /^mw-editsection$/)
}

/** Replaces line breaks with spaces, because a heading has one line. */
function withoutBreaks(node: PhrasingContent): PhrasingContent {
  if (node.type === 'break') return { type: 'text', value: ' ' }
  if (node.type !== 'marked' && node.type !== 'link') return node
  return { ...node, children: node.children.map(withoutBreaks) }
}

function isNoAlertTitle(node: HtmlNode): boolean {
  return typeof node === 'string' || !hasClass(node, /^markdown-alert-title$/)
}

/** @param language the language that the element or its nearest ancestor names */
function readCode(element: HtmlElement, language: string): Code {
  // Reads only the `code` of a `pre` if there is just one, because pages add a bar with a button.
  const code = findElement(element, ({ name }) => name === 'code')
  const second = findElement(element, (each) => each.name === 'code' && each !== code)
  const isOnly = element.name === 'pre' && code !== null && second === null
  const holder = isOnly && textOf(code).trim() !== '' ? code : element
  const value = textOf(holder)
    .replace(/\r\n?/g, '\n')
    .replace(/\u00a0/g, ' ')
    .replace(/^\n/, '')
    .replace(/(?<!\n)\n+$/, '') // Without the lookbehind, this takes quadratic time.
  const lang = languageOf(holder) || language
  const verbatim = lang === '' && code === null && !element.attributes.has('class')
  return { type: 'code', lang, value, data: { verbatim } }
}
