export { BaseRenderer } from '../rendering/base-renderer.ts'
export { loadHighlighter } from '../rendering/browser/load-highlighter.ts'
export {
  IncrementalRenderer,
  type RenderedBlock,
  type RenderPatch,
} from '../rendering/incremental-renderer.ts'
export type { MarkdownRendererOptions } from '../rendering/renderer-options.ts'
export type { PreviewAnswer, PreviewRequest, PreviewSettings } from './preview/protocol.ts'
export {
  type CreatePreviewRenderer,
  type PreviewRenderer,
  type PreviewServer,
  servePreview,
} from './preview/serve-preview.ts'
