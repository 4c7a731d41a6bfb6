import type { Break, Image, PhrasingContent, Text } from 'mdast'

/** The marks (formats) of a text, as bit flags. */
export const MARKS = {
  strong: 1,
  em: 2,
  del: 4,
  mark: 8,
  sub: 16,
  sup: 32,
  kbd: 64,
  ins: 128,
  code: 256,
} as const
const LINK = 512

const NESTED = ['strong', 'em', 'del', 'mark', 'sub', 'sup', 'kbd', 'ins'] as const

/** A text with a mark. Written with signs such as `**` if they work there, or as an element. */
export interface Marked {
  type: 'marked'
  mark: (typeof NESTED)[number]
  children: PhrasingContent[]
}

declare module 'mdast' {
  interface PhrasingContentMap {
    marked: Marked
  }
  interface RootContentMap {
    marked: Marked
  }
}

/** A piece of a line of HTML. Its marks and its link are properties, not nested nodes. */
export interface Run {
  readonly node: Text | Break | Image
  readonly marks: number
  /** The address that the run links to, as Markdown. */
  readonly link: string | null
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
const INVISIBLE = /[\u0000-\u0008\u000e-\u001f\u007f\u200b\ufeff]/g
// Matches non-breaking spaces that editors leave between words, but not intended ones, which are in
// numbers and next to French punctuation.
const HARD_SPACE = /\u00a0(?![:;!?»%€])(?<!«\u00a0)(?<!\d\u00a0(?=\d))/g

/** A line break. */
export const BREAK: Run = { node: { type: 'break' }, marks: 0, link: null }

/** Splits runs into paragraphs at two or more consecutive breaks. */
export function toParagraphs(runs: readonly Run[]): PhrasingContent[][] {
  const lines: Run[][] = [[]]
  for (const run of runs) {
    if (run === BREAK) lines.push([])
    else lines.at(-1)?.push(run)
  }
  const paragraphs: Run[][] = [[]]
  for (const line of lines.map(cleanLine)) {
    const paragraph = paragraphs.at(-1) ?? []
    if (line.length === 0) paragraphs.push([])
    else if (paragraph.length > 0) paragraph.push(BREAK)
    for (const run of line) paragraph.push(run)
  }
  return paragraphs.filter(({ length }) => length > 0).map((paragraph) => nest(paragraph, 0))
}

/** Collapses white space, joins equal runs, and moves white space out of the ends of marks. */
function cleanLine(runs: readonly Run[]): Run[] {
  const clean: Run[] = []
  let spaced = true // White space at the start of a line is not shown.
  for (const { node, marks, link } of runs) {
    const last = clean.at(-1)
    const value: string = node.type === 'text' ? collapse(node.value, spaced) : ''
    if (node.type === 'text' && value === '') continue
    spaced = value.endsWith(' ')
    const isAlike = last?.node.type === 'text' && last.marks === marks && last.link === link
    if (node.type !== 'text') clean.push({ node, marks, link })
    else if (isAlike) last.node.value += value
    else {
      const kept = value === ' ' ? marks & ~MARKS.code : marks
      clean.push({ node: { type: 'text', value }, marks: kept, link })
    }
  }
  const parts = clean.flatMap(splitSpaces)
  return parts.slice(0, parts.findLastIndex((run) => !isBlank(run)) + 1)
}

function collapse(text: string, spaced: boolean): string {
  const plain = text.replace(INVISIBLE, '').replace(HARD_SPACE, ' ')
  return plain.replace(/[ \t\n\r\f\v]+/g, ' ').replace(spaced ? /^ / : /^$/, '')
}

function splitSpaces(run: Run): Run[] {
  if (run.node.type !== 'text' || isCode(run)) return [run]
  const parts = run.node.value.match(/^\s+|\S(?:.*\S)?|\s+$/gs) ?? []
  return parts.map((value) => ({ ...run, node: { type: 'text', value } }))
}

function isCode({ marks }: Run): boolean {
  return (marks & MARKS.code) !== 0
}

function isBlank(run: Run): boolean {
  const { node } = run
  return node.type === 'break' || (node.type === 'text' && !isCode(run) && !/\S/.test(node.value))
}

/** Converts runs to nodes. A link is outermost, then the mark that covers the most runs. */
function nest(runs: readonly Run[], applied: number): PhrasingContent[] {
  const nodes: PhrasingContent[] = []
  for (let index = 0; index < runs.length; ) {
    const first = runs[index] ?? BREAK
    const { flag, end } = nextGroup(runs, index, applied)
    if (flag === 0) addLeaf(nodes, first)
    else {
      const children = nest(runs.slice(index, end), applied | flag)
      const mark = NESTED.find((name) => MARKS[name] === flag)
      if (mark === undefined) nodes.push({ type: 'link', url: first.link ?? '', children })
      else nodes.push({ type: 'marked', mark, children })
    }
    index = end
  }
  return nodes
}

function addLeaf(nodes: PhrasingContent[], run: Run): void {
  const { node } = run
  const last = nodes.at(-1)
  if (node.type !== 'text') nodes.push(node)
  else if (isCode(run)) nodes.push({ type: 'inlineCode', value: node.value })
  else if (last?.type === 'text') last.value += node.value
  else nodes.push({ ...node })
}

/** Returns the flag of the next mark, and the end of its runs. The flag is 0 for a leaf. */
function nextGroup(
  runs: readonly Run[],
  index: number,
  applied: number,
): { readonly flag: number; readonly end: number } {
  let best = { flag: 0, end: index + 1 }
  const run = runs[index]
  if (run === undefined || isBlank(run)) return best
  if (run.link !== null && (applied & LINK) === 0)
    return { flag: LINK, end: groupEnd(runs, index, (each) => each.link === run.link) }
  for (const name of NESTED) {
    const flag = MARKS[name]
    if ((run.marks & flag & ~applied) === 0) continue
    const end = groupEnd(runs, index, ({ marks }) => (marks & flag) !== 0)
    if (best.flag === 0 || end > best.end) best = { flag, end }
  }
  return best
}

/** Returns the end of the runs that a mark covers. The last run is not blank. */
function groupEnd(runs: readonly Run[], index: number, isMarked: (run: Run) => boolean): number {
  let end = index + 1
  for (let at = end; at < runs.length; at++) {
    const run = runs[at] ?? BREAK
    if (run !== BREAK && !isMarked(run)) break
    if (!isBlank(run)) end = at + 1
  }
  return end
}

/** Removes bold if it covers everything, because headings and header cells are bold anyway. */
export function withoutStrong(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  return nodes.every(isStrong) ? nodes.flatMap(unwrapStrong) : [...nodes]
}

function isStrong(node: PhrasingContent): boolean {
  if (node.type === 'marked' && node.mark === 'strong') return true
  if (node.type === 'text') return node.value.trim() === ''
  return 'children' in node ? node.children.every(isStrong) : node.type !== 'inlineCode'
}

function unwrapStrong(node: PhrasingContent): PhrasingContent[] {
  if (node.type === 'marked' && node.mark === 'strong') return node.children
  if (node.type !== 'marked' && node.type !== 'link') return [node]
  return [{ ...node, children: node.children.flatMap(unwrapStrong) }]
}
