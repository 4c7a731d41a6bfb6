export {
  BaseRenderer,
  DefaultRenderer,
  type DefaultRendererOptions,
  extractMediaUrls,
} from '@quillgate/markdown'
export {
  ConfigurationError,
  type FieldError,
  isQuillgateError,
  KeyError,
  type Logger,
  QuillgateError,
  UnknownSettingError,
} from '@quillgate/server/core'
export type { CorsOptions, RequestContext } from '@quillgate/server/http'
export { localFiles, type Storage } from '@quillgate/storage'
export type { Differences } from '@quillgate/storage/copy'
export { MarkdownEditorAdminMixin } from './admin/markdown-editor-admin-mixin.ts'
export { type AdminField, ModelAdmin } from './admin/model-admin.ts'
export { createMarkdownEditor } from './create.ts'
export { type MarkdownEditorErrorCode, ValidationError } from './errors.ts'
export type { EditorMedia, EndpointName, FinalizeFor, MarkdownEditor } from './markdown-editor.ts'
export type { CheckOptions, CheckReport } from './media/check.ts'
export type { CopyOptions, CopyProgress, CopyReport } from './media/copy/copy-media.ts'
export type { Finalized } from './media/finalize.ts'
export type { MediaList, MediaListOptions } from './media/ledger/media-list.ts'
export type { DeletionReason, MediaState, Medium } from './media/ledger/medium.ts'
export type { Actor, EditorUser, Owner } from './media/ledger/principal.ts'
export type { RecordKey, RecordTexts } from './media/ledger/record-texts.ts'
export { mediaMigrations } from './media/ledger/schema.ts'
export type {
  MediaReferences,
  RebuildReport,
  RecordEntries,
  RecordEntry,
} from './media/references/media-references.ts'
export type { ReferenceChange } from './media/references/write-references.ts'
export type { SweepOptions } from './media/sweep/sweep.ts'
export type { SweepItem, SweepReport } from './media/sweep/sweep-report.ts'
export type { FileToAdd } from './media/upload/add-media.ts'
export { DEFAULT_UPLOAD_TYPES } from './media/upload/media-types.ts'
export type { TransformUpload } from './media/upload/transform.ts'
export {
  BaseUploadHandler,
  DefaultUploadHandler,
  type FinalizeContext,
  type Scan,
  type UploadContext,
  type UploadedFile,
} from './media/upload/upload-handler.ts'
export type { MarkdownEditorOptions, RecordSource } from './options.ts'
export {
  type MarkdownCleanup,
  MarkdownCleanupMixin,
  type RecordClass,
} from './orm/typeorm/cleanup-mixin.ts'
export type { SettingName, Settings, SettingsInput } from './settings.ts'
export {
  type Attributes,
  type FormWidget,
  MarkdownEditorWidget,
  type MarkdownEditorWidgetOptions,
  renderMedia,
  renderSaved,
  Textarea,
  type WidgetMedia,
  type WidgetSource,
} from './widget/index.ts'
