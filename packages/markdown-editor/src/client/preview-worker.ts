export type { PreviewSettings } from './preview/protocol.ts'
export {
  type CreatePreviewRenderer,
  type PreviewRenderer,
  type PreviewServer,
  servePreview,
} from './preview/serve-preview.ts'
