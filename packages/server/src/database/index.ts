export { batchesOf } from './batches.ts'
export { type Column, column, type Table, table } from './columns.ts'
export { isUniqueViolation } from './errors.ts'
export { migrate, migrationSql } from './migrate.ts'
export { openDatabase } from './open.ts'
export { createSqlExecutor } from './sql-executor.ts'
export { defineTables, type RowsOf, type Tables } from './tables.ts'
export type {
  Database,
  Dialect,
  Migration,
  MigrationSet,
  Row,
  SqlExecutor,
} from './types.ts'
export { toNumber, toParameters } from './values.ts'
