export {
  ConfigurationError,
  type FieldError,
  isQuillgateError,
  QuillgateError,
  type RequestContext,
  ValidationError,
} from '@quillgate/http'
export type { EditorUser } from './http/index.ts'
export {
  createMarkdownEditor,
  type EditorMedia,
  type EndpointName,
  type MarkdownEditor,
} from './markdown-editor.ts'
export type {
  CheckOptions,
  CheckReport,
  DeletionReason,
  Differences,
  Finalized,
  FinalizeFor,
  Logger,
  MediaReferences,
  MediaState,
  Medium,
  RebuildReport,
  RecordEntry,
  RecordKey,
  RecordTexts,
  ReferenceChange,
  SweepItem,
  SweepOptions,
  SweepReport,
} from './media/index.ts'
export type { MarkdownEditorOptions, RecordSource } from './options.ts'
export {
  KeyError,
  type SettingName,
  type Settings,
  type SettingsInput,
  UnknownSettingError,
} from './settings.ts'
export { type LocalFilesOptions, localFiles, type Storage } from './storage/index.ts'
