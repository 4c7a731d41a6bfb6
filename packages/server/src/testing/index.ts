export {
  availableEngines,
  mariadbEngine,
  postgresEngine,
  sqliteEngine,
  type TestDatabase,
  type TestEngine,
  testServers,
  whyUnavailable,
} from './database/engines.ts'
export { type SqlTag, sqlTag } from './database/sql-tag.ts'
export { createFakeClock, type FakeClock } from './http/fake-clock.ts'
