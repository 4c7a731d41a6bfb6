export { HighlighterOnDemand } from './highlighting/highlighter-on-demand.ts'
export { loadHighlighter } from './highlighting/load-highlighter.ts'
export type { PreviewOptions } from './options/preview-options.ts'
export type { MarkdownRendererOptions } from './options/renderer-options.ts'
export { BaseRenderer } from './renderer/base-renderer.ts'
export {
  IncrementalRenderer,
  type RenderedBlock,
  type RenderPatch,
} from './renderer/incremental-renderer.ts'
export { MarkdownRenderer } from './renderer/markdown-renderer.ts'
