export { BaseRenderer, DefaultRenderer, extractMediaUrls } from '@quillgate/markdown'
export {
  ConfigurationError,
  isQuillgateError,
  QuillgateError,
  UnknownSettingError,
} from '@quillgate/server/core'
export type { RequestContext } from '@quillgate/server/http'
export { localFiles, type Storage } from '@quillgate/storage'
export type { Differences } from '@quillgate/storage/copy'
export { MarkdownEditorAdminMixin } from './admin/markdown-editor-admin-mixin.ts'
export { type AdminField, ModelAdmin } from './admin/model-admin.ts'
export { createMarkdownEditor } from './create.ts'
export { type MarkdownEditorErrorCode, ValidationError } from './errors.ts'
export type { EditorMedia, EndpointName, MarkdownEditor } from './markdown-editor.ts'
export type { CheckReport } from './media/check.ts'
export type { CopyOptions, CopyProgress, CopyReport } from './media/copy/copy-media.ts'
export type { Finalized } from './media/finalize.ts'
export type { MediaList } from './media/ledger/media-list.ts'
export type { DeletionReason, MediaState, Medium } from './media/ledger/medium.ts'
export type { Actor, EditorUser, Owner } from './media/ledger/principal.ts'
export type { RecordKey, RecordTexts } from './media/ledger/record-texts.ts'
export { mediaMigrations } from './media/ledger/schema.ts'
export type {
  MediaReferences,
  RebuildReport,
  RecordEntry,
} from './media/references/media-references.ts'
export type { SweepReport } from './media/sweep/sweep-report.ts'
export { DEFAULT_UPLOAD_TYPES } from './media/upload/media-types.ts'
export type { TransformUpload } from './media/upload/transform.ts'
export {
  BaseUploadHandler,
  DefaultUploadHandler,
  type FinalizeContext,
  type UploadContext,
  type UploadedFile,
} from './media/upload/upload-handler.ts'
export type { MarkdownEditorOptions } from './options.ts'
export { type MarkdownCleanup, MarkdownCleanupMixin } from './orm/typeorm/cleanup-mixin.ts'
export type { SettingName, Settings, SettingsInput } from './settings.ts'
export {
  type Attributes,
  type FormWidget,
  MarkdownEditorWidget,
  type MarkdownEditorWidgetOptions,
  renderAssets,
  renderSaved,
  Textarea,
} from './widget/index.ts'
