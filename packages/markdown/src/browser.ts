export type { MarkdownRendererOptions } from './engine/renderer-options.ts'
export { HighlighterOnDemand } from './highlighting/highlighter-on-demand.ts'
export { loadHighlighter } from './highlighting/load-highlighter.ts'
export { BaseRenderer } from './renderer/base-renderer.ts'
export {
  IncrementalRenderer,
  type RenderedBlock,
  type RenderPatch,
} from './renderer/incremental-renderer.ts'
export type { PreviewOptions } from './renderer/markdown-renderer.ts'
export { MarkdownRenderer } from './renderer/markdown-renderer.ts'
