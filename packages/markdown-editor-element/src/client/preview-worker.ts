export {
  BaseRenderer,
  IncrementalRenderer,
  loadHighlighter,
  type MarkdownRendererOptions,
  type RenderedBlock,
  type RenderPatch,
} from '@quillgate/markdown/browser'
export type { PreviewAnswer, PreviewRequest, PreviewSettings } from './preview/protocol.ts'
export {
  type CreatePreviewRenderer,
  type PreviewRenderer,
  type PreviewServer,
  servePreview,
} from './preview/serve-preview.ts'
