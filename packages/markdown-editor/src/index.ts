export { BaseRenderer, DefaultRenderer, type DefaultRendererOptions } from '@quillgate/markdown'
export {
  ConfigurationError,
  type FieldError,
  isQuillgateError,
  KeyError,
  QuillgateError,
  UnknownSettingError,
} from '@quillgate/server/core'
export type { CorsOptions, RequestContext } from '@quillgate/server/http'
export { localFiles, type Storage } from '@quillgate/storage'
export { type AdminField, MarkdownEditorAdminMixin, ModelAdmin } from './admin/index.ts'
export { type MarkdownEditorErrorCode, ValidationError } from './errors.ts'
export type { EditorUser } from './http/index.ts'
export {
  createMarkdownEditor,
  type EditorMedia,
  type EndpointName,
  type FinalizeFor,
  type MarkdownEditor,
} from './markdown-editor.ts'
export type {
  Actor,
  CheckOptions,
  CheckReport,
  CopyOptions,
  CopyProgress,
  CopyReport,
  DeletionReason,
  Differences,
  FileToAdd,
  Finalized,
  Logger,
  MediaList,
  MediaListOptions,
  MediaReferences,
  MediaState,
  Medium,
  Owner,
  RebuildReport,
  RecordEntries,
  RecordEntry,
  RecordKey,
  RecordTexts,
  ReferenceChange,
  Scan,
  SweepItem,
  SweepOptions,
  SweepReport,
  TransformUpload,
} from './media/index.ts'
export {
  BaseUploadHandler,
  DefaultUploadHandler,
  extractMediaUrls,
  mediaMigrations,
} from './media/index.ts'
export { DEFAULT_UPLOAD_TYPES } from './media/upload/index.ts'
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
