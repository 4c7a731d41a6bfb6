export { createFakeClock, type FakeClock } from '@quillgate/server/testing'
export { createMemoryUsers, type MemoryUsers, type TestUser } from './memory-users.ts'
export { type RecordedSignal, recordSignals, type SignalRecorder } from './record-signals.ts'
