export { checkServer } from './check-server.ts'
export { columnTypes } from './column-types.ts'
export {
  type Column,
  type Columns,
  column,
  type Index,
  type RowOf,
  type Table,
  table,
} from './columns.ts'
export { dialectOf } from './dialect-of.ts'
export { isTransient, isUniqueViolation } from './errors.ts'
export { migrate } from './migrate.ts'
export { checkPrefix, migrationSql } from './migration-sql.ts'
export { type DatabaseOptions, openDatabase } from './open.ts'
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
export { type SqlValue, toBoolean, toNumber, toParameters } from './values.ts'
