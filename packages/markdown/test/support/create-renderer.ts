import MarkdownIt from 'markdown-it'
import { MarkdownRenderer, type MarkdownRendererOptions } from '../../src/index.ts'

/** The `rel` attribute of links in rendered HTML. */
export const REL = 'rel="nofollow ugc noopener"'

export const createRenderer = (options: MarkdownRendererOptions = {}): MarkdownRenderer =>
  new MarkdownRenderer({ markdownIt: MarkdownIt, ...options })
