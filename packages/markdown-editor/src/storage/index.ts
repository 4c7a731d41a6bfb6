export { type LocalFilesOptions, localFiles } from './local-files.ts'
export type { ByteRange, SignedUrlOptions, Storage, StoredBody, StoredObject, WriteResult } from './storage.ts'
export { storageConflict, storageFailed } from './storage-errors.ts'
export { isStorageKey, MAX_KEY_BYTES, parseStorageKey, parseStoragePrefix } from './storage-key.ts'
