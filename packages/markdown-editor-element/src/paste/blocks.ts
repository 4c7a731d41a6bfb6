import type { HtmlNode } from './html-tree.ts'
import type { StyleSheet } from './styles.ts'

/** Marks of a text, as bits. */
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

/** A piece of a line: a text with marks, a line break, or Markdown that is not escaped. */
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
  /** True if its items have space between them. */
  readonly loose: boolean
  readonly items: ListItem[]
}

/** The alignment of a table column. */
export type Alignment = 'left' | 'center' | 'right' | null

/** A table. */
export interface TableBlock {
  readonly kind: 'table'
  readonly alignments: readonly Alignment[]
  /** The first is the header; all are of one length. */
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
  | {
      readonly kind: 'details'
      readonly summary: string
      readonly open: boolean
      readonly blocks: readonly Block[]
    }
  | { readonly kind: 'footnote'; readonly label: string; readonly blocks: readonly Block[] }
  | { readonly kind: 'markdown'; readonly text: string }
  | { readonly kind: 'rule' }
  | ListBlock
  | TableBlock

/** Properties of the pasted document. */
export interface Source {
  readonly sheet: StyleSheet
  /** The origin of the page, which is removed from addresses. */
  readonly origin: string
  /** Whether a program wrote it that puts each item of a list into a paragraph. */
  readonly tight: boolean
  /** True if it contains the notes of its footnotes. */
  readonly footnotes: boolean
  read(nodes: readonly HtmlNode[], inherited: Inherited): Block[]
}

/** The properties that an element inherits. */
export interface Inherited {
  readonly marks: number
  readonly link: string | null
  /** Whether line feeds are line breaks. */
  readonly pre: boolean
  /** How many lists, quotes and tables are around. */
  readonly depth: number
  /** The classes around that name a language. */
  readonly classes: string
}

/** The inherited properties of the body. */
export const ROOT: Inherited = { marks: 0, link: null, pre: false, depth: 0, classes: '' }
