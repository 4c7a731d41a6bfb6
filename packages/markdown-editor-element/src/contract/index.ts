export {
  CHOICES,
  type EditorOptions,
  type Mode,
  type SurfaceChoice,
  type Theme,
  toCssLength,
  writeAttributes,
} from './attributes.ts'
export { DEFAULT_TOOLBAR, TOOLBAR_ITEMS, type ToolbarItem } from './toolbar.ts'
export {
  areAlike,
  claimedTypes,
  EXTENSIONS,
  mayBeAllowed,
  OFFICE_TYPES,
  toMediaType,
  UNKNOWN_TYPE,
} from './upload-types.ts'
export type { FinalizeResponse, UploadResponse } from './wire.ts'
