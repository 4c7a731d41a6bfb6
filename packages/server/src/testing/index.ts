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
export { createFakeClock, type FakeClock } from './http/fake-clock.ts'
