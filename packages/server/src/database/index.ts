export { batchesOf } from './batches.ts'
export { checkServer } from './check-server.ts'
export {
  type Column,
  column,
  type RowOf,
  type Table,
  table,
} from './columns.ts'
export { isUniqueViolation } from './errors.ts'
export type { DatabaseOptions } from './limits.ts'
export { migrate, migrationSql } from './migrate.ts'
export { openDatabase } from './open.ts'
export { createSqlExecutor } from './sql-executor.ts'
export { defineTables, type RowsOf, type Tables } from './tables.ts'
export type {
  Database,
  DatabaseSource,
  Dialect,
  Migration,
  MigrationSet,
  Row,
  SqlExecutor,
} from './types.ts'
export { toNumber, toParameters } from './values.ts'
