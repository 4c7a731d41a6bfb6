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
  storageError,
  storageFailed,
} from './storage-errors.ts'
export {
  isKeySegment,
  isStorageKey,
  MAX_KEY_BYTES,
  parseStorageKey,
  parseStoragePrefix,
} from './storage-key.ts'
