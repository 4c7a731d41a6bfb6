export { type DatabaseFixture, databaseSuite } from './database-suite.ts'
export { describeDatabases } from './describe-databases.ts'
export { describeGalera, type TestCluster } from './describe-galera.ts'
export { type SqlExecutorFixture, sqlExecutorSuite } from './sql-executor-suite.ts'
