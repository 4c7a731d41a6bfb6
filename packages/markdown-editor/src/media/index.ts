export { extractMediaUrls } from '@quillgate/markdown'
export type { Logger } from '@quillgate/server/core'
export type { Differences } from '@quillgate/storage/copy'
export type { CheckOptions, CheckReport } from './check.ts'
export type { ActorOptions, Cleanup } from './cleanup.ts'
export type { CopyOptions, CopyProgress, CopyReport } from './copy/copy-media.ts'
export type { Finalized } from './finalize.ts'
export type { DeletionGuard } from './ledger/installation.ts'
export type { MediaList, MediaListOptions } from './ledger/media-list.ts'
export type { DeletionReason, MediaState, Medium } from './ledger/medium.ts'
export { type Actor, anonymousOwner, type Owner, userOwner } from './ledger/principal.ts'
export type { RecordKey, RecordTexts } from './ledger/record-texts.ts'
export { mediaMigrations } from './ledger/schema.ts'
export type { Quarantine } from './quarantine.ts'
export type {
  MediaReferences,
  RebuildReport,
  RecordEntries,
  RecordEntry,
} from './references/media-references.ts'
export type { ReferenceChange } from './references/write-references.ts'
export type { SweepOptions } from './sweep/sweep.ts'
export type { SweepItem, SweepKind, SweepReport } from './sweep/sweep-report.ts'
export {
  BaseUploadHandler,
  DefaultUploadHandler,
  type FileToAdd,
  type FileToTransform,
  type FinalizeContext,
  type Scan,
  type ScannedUpload,
  type TransformedFile,
  type TransformUpload,
  type UploadContext,
  type UploadedFile,
  type UploadHandler,
} from './upload/index.ts'
