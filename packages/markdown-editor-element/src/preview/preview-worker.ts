export {
  BaseRenderer,
  IncrementalRenderer,
  loadHighlighter,
  type RenderedBlock,
  type RenderPatch,
} from '@quillgate/markdown/browser'
export type { PreviewAnswer, PreviewRequest } from './protocol.ts'
export {
  type CreatePreviewRenderer,
  type PreviewRenderer,
  type PreviewServer,
  servePreview,
} from './serve-preview.ts'
