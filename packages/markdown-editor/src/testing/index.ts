export { createFakeClock, type FakeClock } from '@quillgate/server/testing'
export { type MemoryStorageOptions, memoryStorage } from './memory-storage.ts'
