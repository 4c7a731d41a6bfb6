export {
  availableEngines,
  mariadbEngine,
  postgresEngine,
  sqliteEngine,
  type TestDatabase,
  type TestEngine,
  testServers,
  whyUnavailable,
} from './engines.ts'
