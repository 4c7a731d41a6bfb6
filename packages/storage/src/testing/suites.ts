export { type OpenStorage, type StorageSuiteOptions, storageSuite } from './storage-suite.ts'
export { INVALID_KEYS } from './storage-suite-keys.ts'
