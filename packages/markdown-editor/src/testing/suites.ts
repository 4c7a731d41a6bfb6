export { INVALID_KEYS, type OpenStorage, type StorageSuiteOptions, storageSuite } from './storage-suite.ts'
