import type { Block } from './blocks.ts'
import type { HtmlNode } from './html-tree.ts'
import type { StyleSheet } from './styles.ts'

/** Properties of the pasted document. */
export interface Source {
  readonly sheet: StyleSheet
  /** The origin of the page, which is removed from addresses. */
  readonly origin: string
  /** Whether a program wrote it that puts each item of a list into a paragraph. */
  readonly tight: boolean
  /** Whether the notes of its footnotes are there. */
  readonly footnotes: boolean
  /** Reads what elements and texts show. */
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
