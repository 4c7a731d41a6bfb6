import MarkdownIt from 'markdown-it'
import { MarkdownRenderer, type MarkdownRendererOptions } from '../../src/index.ts'

export const REL = 'rel="nofollow ugc noopener"'

export const createRenderer = (options: MarkdownRendererOptions = {}): MarkdownRenderer =>
  new MarkdownRenderer({ markdownIt: MarkdownIt, ...options })
