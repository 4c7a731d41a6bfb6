export { createFakeClock, type FakeClock } from './fake-clock.ts'
export { type MemoryStorageOptions, memoryStorage } from './memory-storage.ts'
export { INVALID_KEYS, type OpenStorage, type StorageSuiteOptions, storageSuite } from './storage-suite.ts'
