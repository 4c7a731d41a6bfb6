export {
  type EditorOptions,
  MODES,
  type Mode,
  SURFACES,
  type SurfaceChoice,
  THEMES,
  type Theme,
  toCssLength,
  writeAttributes,
} from './attributes.ts'
export {
  DEFAULT_TOOLBAR,
  formatToolbar,
  isToolbarItem,
  TOOLBAR_BUTTONS,
  type ToolbarItem,
} from './toolbar.ts'
export {
  areAlike,
  claimedTypes,
  DOCX,
  EXCEL,
  EXTENSIONS,
  mayBeAllowed,
  PPTX,
  toMediaType,
  UNKNOWN_TYPE,
  XLSX,
} from './upload-types.ts'
export type { FinalizeResponse, UploadResponse } from './wire.ts'
