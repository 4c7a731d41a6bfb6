export type { Logger } from '@quillgate/http'
export { extractMediaUrls } from '../text/extract-media-urls.ts'
export type { CheckOptions, CheckReport } from './check.ts'
export type { ActorOptions, Cleanup } from './cleanup.ts'
export type { CopyOptions, CopyProgress, CopyReport } from './copy/copy-report.ts'
export type { Differences } from './differences.ts'
export type { Finalized } from './finalize.ts'
export type { Holds } from './holds.ts'
export type { DeletionBan } from './installation.ts'
export type { ReferenceIntent } from './intents.ts'
export type { MediaList, MediaListOptions } from './media-list.ts'
export type { MediaReferences, RebuildReport, RecordEntries, RecordEntry } from './media-references.ts'
export type { DeletionReason, MediaState, Medium } from './medium.ts'
export { type Actor, anonymousOwner, type MediaOwner, userOwner } from './owner.ts'
export type { RecordKey, RecordTexts } from './record-texts.ts'
export { mediaMigrations } from './schema.ts'
export type { SweepOptions } from './sweep.ts'
export type { SweepItem, SweepKind, SweepReport } from './sweep-report.ts'
export {
  type ReferenceTracking,
  type TrackedReferences,
  type TrackedTransaction,
  type TrackingOptions,
  trackReferences,
} from './track-references.ts'
export {
  BaseUploadHandler,
  DefaultUploadHandler,
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
export type { ReferenceChange } from './write-references.ts'
