export { type DatabaseFixture, databaseSuite } from './database/database-suite.ts'
export { describeDatabases } from './database/describe-databases.ts'
export { describeGalera, type TestCluster } from './database/describe-galera.ts'
export { type SqlExecutorFixture, sqlExecutorSuite } from './database/sql-executor-suite.ts'
export {
  type AdapterServer,
  ELSEWHERE,
  type FetchHandler,
  type FrameworkAdapter,
  type ServeOptions,
} from './http/framework-adapter.ts'
export { frameworkAdapterSuite } from './http/framework-adapter-suite.ts'
export { type RateStoreFixture, rateStoreSuite } from './http/rate-store-suite.ts'
