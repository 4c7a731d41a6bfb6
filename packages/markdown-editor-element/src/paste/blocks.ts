import type { HtmlNode } from './html-tree.ts'
import type { StyleSheet } from './styles.ts'

/** The marks of a text, as bit flags. */
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

/** A piece of a line: a text with marks, a line break, or Markdown that is inserted unescaped. */
export interface Run {
  readonly kind: 'text' | 'break' | 'markdown'
  readonly text: string
  readonly marks: number
  readonly link: string | null
}

/** An item of a list. */
export interface ListItem {
  /** True for a completed task, null for an item that is not a task. */
  readonly checked: boolean | null
  readonly blocks: Block[]
}

/** A list; its items may be tasks. */
export interface ListBlock {
  readonly kind: 'list'
  readonly ordered: boolean
  readonly start: number
  readonly items: ListItem[]
}

/** The alignment of a table column. */
export type Alignment = 'left' | 'center' | 'right' | null

/** A table. */
export interface TableBlock {
  readonly kind: 'table'
  readonly alignments: readonly Alignment[]
  /** The first row is the header. All rows have the same number of cells. */
  readonly rows: readonly (readonly (readonly Run[])[])[]
}

/** A block of code. */
export interface CodeBlock {
  readonly kind: 'code'
  readonly text: string
  readonly language: string
  /** True for text from a code editor or a terminal. */
  readonly verbatim: boolean
}

/** The blocks of pasted HTML that Markdown can express. */
export type Block =
  | { readonly kind: 'paragraph'; readonly runs: readonly Run[] }
  | { readonly kind: 'heading'; readonly level: number; readonly runs: readonly Run[] }
  | CodeBlock
  | { readonly kind: 'quote'; readonly alert: string | null; readonly blocks: readonly Block[] }
  | { readonly kind: 'rule' }
  | ListBlock
  | TableBlock

/** The context of a conversion, which all elements of the pasted document share. */
export interface Source {
  readonly sheet: StyleSheet
  /** The origin of the current page. It is removed from addresses. */
  readonly origin: string
  read(nodes: readonly HtmlNode[], inherited: Inherited): Block[]
}

/** The properties that an element inherits. */
export interface Inherited {
  readonly marks: number
  readonly link: string | null
  /** Whether line feeds are shown as line breaks. */
  readonly pre: boolean
  /** The number of lists, quotes and tables around the element. */
  readonly depth: number
  /** The classes of ancestors that name a programming language. */
  readonly classes: string
}

/** The inherited properties of the body. */
export const ROOT: Inherited = { marks: 0, link: null, pre: false, depth: 0, classes: '' }

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
const INVISIBLE = /[\u0000-\u0008\u000e-\u001f\u007f\u200b\ufeff]/g
// Non-breaking spaces that editors leave between words. Those in numbers and next to French
// punctuation are intended and do not match.
const HARD_SPACE = /\u00a0(?![:;!?»%€])(?<!«\u00a0)(?<!\d\u00a0(?=\d))/g

/** A line break. */
export const BREAK: Run = { kind: 'break', text: '', marks: 0, link: null }

/** Collapses white space as browsers do, and joins runs with equal marks. */
export function cleanRuns(runs: readonly Run[]): Run[] {
  const clean: Run[] = []
  let spaced = true // White space at the start of a line is not shown.
  for (const run of runs) {
    if (run.kind === 'break') {
      trimEnd(clean)
      if (clean.length > 0) clean.push(BREAK)
      spaced = true
      continue
    }
    const text: string = run.kind === 'text' ? collapse(run.text, spaced) : run.text
    if (text === '') continue
    spaced = run.kind === 'text' && text.endsWith(' ')
    const last = clean.at(-1)
    if (last !== undefined && isAlike(last, run))
      clean[clean.length - 1] = { ...last, text: last.text + text }
    else clean.push({ ...run, text, marks: text === ' ' ? run.marks & ~MARKS.code : run.marks })
  }
  trimEnd(clean)
  while (clean.at(-1)?.kind === 'break') {
    clean.pop()
    trimEnd(clean)
  }
  return clean
}

/** Splits runs into paragraphs at two or more consecutive breaks. */
export function splitParagraphs(runs: readonly Run[]): Run[][] {
  const paragraphs: Run[][] = [[]]
  runs.forEach((run, index) => {
    const divides = run.kind === 'break' && runs[index + 1]?.kind === 'break'
    const divided = run.kind === 'break' && runs[index - 1]?.kind === 'break'
    if (divides && !divided) paragraphs.push([])
    else if (!divides && !divided) paragraphs.at(-1)?.push(run)
  })
  return paragraphs
}

function collapse(text: string, spaced: boolean): string {
  const plain = text.replace(INVISIBLE, '').replace(HARD_SPACE, ' ')
  return plain.replace(/[ \t\n\r\f\v]+/g, ' ').replace(spaced ? /^ / : /^$/, '')
}

function trimEnd(runs: Run[]): void {
  let last = runs.at(-1)
  while (last?.kind === 'text') {
    const text: string = last.text.replace(/[ \u00a0]$/, '')
    if (text === last.text) return
    runs.pop()
    if (text !== '') runs.push({ ...last, text })
    last = runs.at(-1)
  }
}

function isAlike(a: Run, b: Run): boolean {
  return a.kind === 'text' && b.kind === 'text' && a.marks === b.marks && a.link === b.link
}

/**
 * Removes all occurrences of a character at the end of a text. A pattern such as `/ +$/` would take
 * quadratic time if the text contains long runs of the character elsewhere.
 */
export function withoutEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

/** Converts blocks to the content of a table cell, with a break between two lines. */
export function linesOf(blocks: readonly Block[]): Run[] {
  const lines = blocks.map(lineOf).filter((runs) => runs.length > 0)
  return lines.flatMap((runs, index) => (index > 0 ? [BREAK, ...runs] : runs))
}

function lineOf(block: Block): Run[] {
  switch (block.kind) {
    case 'paragraph':
    case 'heading':
      return [...block.runs]
    case 'code':
      return block.text
        .split('\n')
        .flatMap((line, index) => [...(index > 0 ? [BREAK] : []), text(line, MARKS.code)])
    case 'list':
      return block.items.flatMap(({ blocks }, index) => {
        const mark = block.ordered ? `${block.start + index}. ` : '• '
        return [...(index > 0 ? [BREAK] : []), text(mark, 0), ...linesOf(blocks)]
      })
    case 'table':
      return block.rows.flatMap((row, index) => {
        const cells = row.flatMap((runs, x) => [...(x > 0 ? [text(' ', 0)] : []), ...runs])
        return [...(index > 0 ? [BREAK] : []), ...cells]
      })
    case 'quote':
      return linesOf(block.blocks)
    case 'rule':
      return []
  }
}

function text(content: string, marks: number): Run {
  return { kind: 'text', text: content, marks, link: null }
}

/** Makes runs bold. */
export function withStrong(runs: readonly Run[]): Run[] {
  return runs.map((run) =>
    run.kind === 'text' ? { ...run, marks: run.marks | MARKS.strong } : run,
  )
}

/** Removes bold if all runs are bold, because headings and header cells are bold anyway. */
export function withoutStrong(runs: readonly Run[]): readonly Run[] {
  const bold = runs.every(({ kind, marks }) => kind !== 'text' || (marks & MARKS.strong) !== 0)
  return bold ? runs.map((run) => ({ ...run, marks: run.marks & ~MARKS.strong })) : runs
}
