export { describeDatabases } from './describe-databases.ts'
export type { TestDatabase, TestEngine } from './engines.ts'
