import type { BlockContent, Heading, ListItem, PhrasingContent } from 'mdast'
import {
  attributeOf,
  findElement,
  type HtmlElement,
  type HtmlNode,
  hasClass,
  textOf,
} from './html-tree.ts'
import { BREAK, MARKS, type Run, toParagraphs, withoutStrong } from './inlines.ts'
import { isPreformatted, readCode } from './read-code.ts'
import { type LevelItem, nestItems, readList, readMarker } from './read-list.ts'
import { readTable } from './read-table.ts'
import {
  type Declarations,
  declarationsOf,
  type Inherited,
  inherit,
  isHidden,
  linkOf,
  type Source,
} from './styles.ts'
import { safeUrl } from './urls.ts'

// The maximum depth of lists, quotes and tables. It is limited, because each level adds a prefix to
// all lines.
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

// https://docs.github.com/en/get-started/writing-on-github: our renderer writes the same classes.
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
  #levelItems: LevelItem[] = []

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
    this.#flush()
    this.#flushItems()
    return this.#blocks
  }

  #readText(text: string, { marks, link, pre }: Inherited): void {
    const lines = pre ? text.split(/\r\n?|\n/) : [text]
    lines.forEach((line, index) => {
      if (index > 0) this.#runs.push(BREAK)
      if (line !== '') this.#runs.push({ kind: 'text', text: line, marks, link })
    })
  }

  #readElement(element: HtmlElement, inherited: Inherited): void {
    const styles = declarationsOf(element, this.#source.sheet)
    if (isHidden(styles)) return
    if (isPreformatted(element, styles)) {
      this.#add(readCode(element, inherited.classes))
      return
    }
    // Slack separates paragraphs by an empty element.
    const isBlock = BLOCKS.has(element.name) || hasClass(element, /^c-mrkdwn__br$/)
    const inner = inherit(element, styles, inherited, isBlock)
    if (!isBlock) {
      const run = readInline(element, inner, this.#source)
      if (run === 'inside')
        this.readAll(element.children, { ...inner, link: linkOf(element, inner, this.#source) })
      else if (run !== null) this.#runs.push(run)
      return
    }
    this.#flush()
    this.#readBlock(element, styles, inner)
    this.#flush()
  }

  #readBlock(element: HtmlElement, styles: Declarations, inner: Inherited): void {
    const level = /^h([1-6])$/.exec(element.name)?.[1]
    const listed = /\blevel(\d)\b/.exec(styles.get('mso-list') ?? '')?.[1]
    const alert =
      element.name === 'div' ? ALERT.exec(attributeOf(element, 'class'))?.[1] : undefined
    const isContainer = inner.depth <= MAX_CONTAINERS
    if (level !== undefined) this.#addHeading(Number(level) as Heading['depth'], element, inner)
    else if (listed !== undefined) this.#addWordItem(Number(listed), element, inner)
    else if (element.name === 'hr') this.#add({ type: 'thematicBreak' })
    else if (element.name === 'table' && isContainer)
      for (const block of readTable(element, inner, this.#source)) this.#add(block)
    else if (/^(?:ul|ol|menu|dir)$/.test(element.name) && isContainer) this.#addList(element, inner)
    else if (element.name === 'dt')
      this.readAll(element.children, { ...inner, marks: inner.marks | MARKS.strong })
    else if (isContainer && (element.name === 'blockquote' || alert !== undefined))
      this.#addQuote(element, inner, alert)
    else this.readAll(element.children, inner)
  }

  #addQuote(element: HtmlElement, inner: Inherited, alert: string | undefined): void {
    const children = this.#read(element.children.filter(isNoAlertTitle), inner)
    if (children.length === 0) return
    if (alert !== undefined) children.unshift({ type: 'html', value: `[!${alert.toUpperCase()}]` })
    this.#add({ type: 'blockquote', children })
  }

  #addHeading(depth: Heading['depth'], element: HtmlElement, inner: Inherited): void {
    for (const block of readBlocks(element.children, inner, this.#source)) {
      if (block.type !== 'paragraph') {
        this.#add(block)
        continue
      }
      const children = withoutStrong(block.children.map(withoutBreaks))
      this.#add({ type: 'heading', depth, children })
    }
  }

  #addList(element: HtmlElement, inner: Inherited): void {
    const list = readList(element, inner, this.#source)
    if (Array.isArray(list)) this.#addItems(list)
    else if (list.children.length > 0) this.#add(list)
  }

  /** Adds a paragraph that Word shows as a list item. */
  #addWordItem(level: number, element: HtmlElement, inner: Inherited): void {
    const isMarker = (each: HtmlElement) => /mso-list:\s*ignore/i.test(attributeOf(each, 'style'))
    const marker = findElement(element, isMarker)
    const item: ListItem = { type: 'listItem', children: this.#read(element.children, inner) }
    const { ordered, start } = readMarker(marker === null ? '' : textOf(marker))
    if (item.children.length > 0) this.#addItems([{ level, ordered, start, item }])
  }

  #addItems(items: readonly LevelItem[]): void {
    this.#flush()
    for (const item of items) this.#levelItems.push(item)
  }

  #read(nodes: readonly HtmlNode[], inner: Inherited): BlockContent[] {
    return readBlocks(nodes, { ...inner, depth: inner.depth + 1 }, this.#source)
  }

  #add(block: BlockContent): void {
    this.#flush()
    this.#flushItems()
    this.#blocks.push(block)
  }

  #flushItems(): void {
    const items = this.#levelItems
    this.#levelItems = []
    for (const list of nestItems(items)) this.#blocks.push(list)
  }

  #flush(): void {
    const runs = this.#runs
    if (runs.length === 0) return
    this.#runs = []
    const paragraphs = toParagraphs(runs)
    if (paragraphs.length > 0) this.#flushItems()
    for (const children of paragraphs) this.#blocks.push({ type: 'paragraph', children })
  }
}

/** Replaces line breaks by spaces, because a heading has one line. */
function withoutBreaks(node: PhrasingContent): PhrasingContent {
  if (node.type === 'break') return { type: 'text', value: ' ' }
  if (node.type !== 'marked' && node.type !== 'link') return node
  return { ...node, children: node.children.map(withoutBreaks) }
}

function isNoAlertTitle(node: HtmlNode): boolean {
  return typeof node === 'string' || !hasClass(node, /^markdown-alert-title$/)
}

/**
 * Reads an inline element. Returns a run, null to ignore the element, or `'inside'` to read its
 * children.
 */
function readInline(element: HtmlElement, inner: Inherited, source: Source): Run | 'inside' | null {
  switch (element.name) {
    case 'br':
      return hasClass(element, /^Apple-interchange-newline$/) ? null : BREAK
    case 'img':
      return readImage(element, inner, source)
    case 'math': {
      // Many pages include the source of a formula, for copying.
      const tex = findElement(element, (each) => attributeOf(each, 'encoding') === TEX)
      if (tex === null) return 'inside'
      return { kind: 'text', text: textOf(tex).trim(), marks: MARKS.code, link: inner.link }
    }
    case 'input':
    case 'rp':
      return null
    case 'sup':
      // Removes Wikipedia's references to notes, because the notes are not pasted.
      return hasClass(element, /^reference$/) ? null : 'inside'
    default:
      return attributeOf(element, 'aria-hidden') === 'true' || hasClass(element, /^mw-editsection$/)
        ? null
        : 'inside'
  }
}

function readImage(element: HtmlElement, { link }: Inherited, { origin }: Source): Run | null {
  const alt = attributeOf(element, 'alt').replace(/\s+/g, ' ').trim()
  if (alt !== '' && (hasClass(element, /emoji/i) || EMOJI.test(alt))) {
    return { kind: 'text', text: alt, marks: 0, link }
  }
  const url = safeUrl(attributeOf(element, 'src'), 'media', origin)
  const isPixel = ['width', 'height'].every((name) => attributeOf(element, name) === '1')
  if (url === null || isPixel) return null // Tracking pixels are invisible.
  return { kind: 'image', text: alt, url, marks: 0, link }
}
