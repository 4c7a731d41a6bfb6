export { localFiles } from './local/local-files.ts'
export type {
  ByteRange,
  SignedUrlOptions,
  Storage,
  StoredBody,
  StoredObject,
  WriteResult,
} from './storage.ts'
export {
  STORAGE_ERRORS,
  type StorageErrorCode,
  storageConflict,
  storageFailed,
} from './storage-errors.ts'
export {
  isStorageKey,
  parseStorageKey,
  parseStoragePrefix,
} from './storage-key.ts'
