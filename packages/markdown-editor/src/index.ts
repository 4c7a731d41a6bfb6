export { BaseRenderer, DefaultRenderer, extractMediaUrls } from '@quillgate/markdown'
export { localFiles, type Storage } from '@quillgate/storage'
export { MarkdownEditorAdminMixin } from './admin/markdown-editor-admin-mixin.ts'
export { type AdminField, ModelAdmin } from './admin/model-admin.ts'
export { createMarkdownEditor } from './create.ts'
export { FormError, type MarkdownEditorErrorCode, ValidationError } from './errors.ts'
export type { MarkdownEditor } from './markdown-editor.ts'
export type { CheckReport } from './media/check.ts'
export type { Finalized } from './media/finalize.ts'
export type { Medium } from './media/ledger/medium.ts'
export type { Actor, EditorUser } from './media/ledger/principal.ts'
export type { RecordEntry } from './media/references.ts'
export type { SweepReport } from './media/sweep/sweep-report.ts'
export {
  BaseUploadHandler,
  DefaultUploadHandler,
  type FinalizeContext,
  type TransformUpload,
  type UploadContext,
  type UploadedFile,
} from './media/upload/upload-handler.ts'
export type { MarkdownEditorOptions } from './options.ts'
export { type MarkdownCleanup, MarkdownCleanupMixin } from './orm/markdown-cleanup-mixin.ts'
export type { SettingName, Settings, SettingsInput } from './settings.ts'
export { DEFAULT_UPLOAD_TYPES } from './types/media-types.ts'
export { renderAssets } from './widget/assets.ts'
export type { Attributes } from './widget/attributes.ts'
export { renderSaved } from './widget/draft.ts'
export {
  MarkdownEditorWidget,
  type MarkdownEditorWidgetOptions,
} from './widget/markdown-editor-widget.ts'
export { type FormWidget, Textarea } from './widget/textarea.ts'
