export type { FlydriveDisk } from './flydrive/disk.ts'
export { type FlydriveOptions, flydrive } from './flydrive/flydrive.ts'
export { type LocalFilesOptions, localFiles } from './local/local-files.ts'
export { s3 } from './s3/s3.ts'
export { s3FromUrl } from './s3/s3-from-url.ts'
export type { S3ClientLike, S3Credentials, S3Options } from './s3/s3-options.ts'
export type {
  ByteRange,
  SignedUrlOptions,
  Storage,
  StoredBody,
  StoredObject,
  WriteResult,
} from './storage.ts'
export { storageConflict, storageFailed } from './storage-errors.ts'
export { isStorageKey, MAX_KEY_BYTES, parseStorageKey, parseStoragePrefix } from './storage-key.ts'
