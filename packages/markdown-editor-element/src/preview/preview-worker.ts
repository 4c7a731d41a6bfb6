export {
  type CreatePreviewRenderer,
  type PreviewAnswer,
  type PreviewRenderer,
  type PreviewRequest,
  type PreviewServer,
  servePreview,
} from './serve-preview.ts'
