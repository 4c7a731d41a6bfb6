import MarkdownIt, { type MarkdownIt as Parser } from 'markdown-it'
import { MarkdownRenderer, type MarkdownRendererOptions } from '../../src/index.ts'

export type RendererPlugin = (md: Parser) => void

/** The `rel` of users' links. */
export const REL = 'rel="nofollow ugc noopener"'

export const createRenderer = (options: MarkdownRendererOptions = {}): MarkdownRenderer =>
  new MarkdownRenderer({ markdownIt: MarkdownIt, ...options })
