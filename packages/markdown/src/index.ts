export type { MarkdownRendererOptions } from './engine/renderer-options.ts'
export type { MarkdownItConstructor } from './grammar/markdown-it-like.ts'
export { createHighlighter } from './highlighting/highlighter.ts'
export { DefaultRenderer, type DefaultRendererOptions } from './node/default-renderer.ts'
export { extractMediaUrls } from './node/extract-media-urls.ts'
export { isMarkdownItInstalled } from './node/peers.ts'
export { defaultPolicy } from './policy/default-policy.ts'
export type { EmbedHost, RenderPolicy } from './policy/policy.ts'
export { BaseRenderer } from './renderer/base-renderer.ts'
export {
  IncrementalRenderer,
  type RenderedBlock,
  type RenderPatch,
} from './renderer/incremental-renderer.ts'
export type { PreviewOptions } from './renderer/markdown-renderer.ts'
export { MarkdownRenderer } from './renderer/markdown-renderer.ts'
export type { RenderedDocument } from './renderer/rendered-document.ts'
export type { Heading, RenderedMedium } from './writing/collector.ts'
