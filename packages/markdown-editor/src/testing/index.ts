export { createFakeClock, type FakeClock } from '@quillgate/http/testing'
export { type MemoryStorageOptions, memoryStorage } from './memory-storage.ts'
