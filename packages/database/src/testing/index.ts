export { sqliteEngine, type TestDatabase, type TestEngine } from './engines.ts'
