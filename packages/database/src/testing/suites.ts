export { type DatabaseFixture, databaseSuite } from './database-suite.ts'
export { describeDatabases } from './describe-databases.ts'
export { type SqlExecutorFixture, sqlExecutorSuite } from './sql-executor-suite.ts'
