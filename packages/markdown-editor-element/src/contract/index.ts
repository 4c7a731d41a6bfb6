import * as mediaTypes from './upload-types.ts'

export {
  CHOICES,
  type EditorOptions,
  type Mode,
  type SurfaceChoice,
  type Theme,
  toCssLength,
  writeAttributes,
} from './attributes.ts'
export { mediaMarkdown } from './media-markdown.ts'
export { DEFAULT_TOOLBAR, TOOLBAR_ITEMS, type ToolbarItem } from './toolbar.ts'
export type { FinalizeResponse, UploadResponse } from './wire.ts'
/** The media types of uploads: their names, their extensions, and which ones are often confused. */
export { mediaTypes }
