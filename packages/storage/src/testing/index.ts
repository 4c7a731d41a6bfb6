export { type MemoryStorageOptions, memoryStorage } from './memory-storage.ts'
