import type { Block } from './blocks.ts'
import type { HtmlNode } from './html-tree.ts'
import type { StyleSheet } from './styles.ts'

/** What is known of all that was pasted. */
export interface Source {
  readonly sheet: StyleSheet
  /** Of the page; addresses on it lose it. */
  readonly origin: string
  /** Whether a program wrote it that puts each item of a list into a paragraph. */
  readonly tight: boolean
  /** Whether the notes of its footnotes are there. */
  readonly footnotes: boolean
  /** Reads what elements and texts show. */
  read(nodes: readonly HtmlNode[], inherited: Inherited): Block[]
}

/** What an element hands down. */
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

/** What the elements of a page's body inherit. */
export const ROOT: Inherited = { marks: 0, link: null, pre: false, depth: 0, classes: '' }
