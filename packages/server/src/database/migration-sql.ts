import { matching } from '../core/checks.ts'
import { ConfigurationError } from '../core/errors.ts'
import { type Check, field, parse } from '../core/schema.ts'
import { columnTypes } from './column-types.ts'
import type { Dialect, MigrationSet } from './types.ts'

/** The default prefix of table names. */
export const DEFAULT_PREFIX = 'quillgate_'

/** Options of `migrate` and {@link migrationSql}. */
export interface MigrateOptions {
  /**
   * The prefix of all table names: lower case letters, digits, `_`, at most 32. @default
   * 'quillgate_'
   */
  readonly prefix?: string
}

/** The time of the database in milliseconds since the epoch. */
const NOW: Readonly<Record<Dialect, string>> = {
  sqlite: "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)",
  postgres: 'CAST(floor(extract(epoch FROM now()) * 1000) AS bigint)',
  mariadb: 'CAST(floor(unix_timestamp(now(3)) * 1000) AS signed)',
}

/**
 * The schema of a component as SQL, for other migration tools. It also records the migrations, so
 * that a later `migrate` finds nothing to do.
 *
 * @throws ConfigurationError for a bad prefix or set
 */
export function migrationSql(
  set: MigrationSet,
  dialect: Dialect,
  options: MigrateOptions = {},
): string {
  const { prefix = DEFAULT_PREFIX } = options
  checkPrefix(prefix)
  checkMigrationSet(set)
  const statements = set.migrations.flatMap((migration) => [
    ...migration.statements(dialect, prefix),
    recordMigration(dialect, prefix, set.component, migration.name),
  ])
  return [createMigrationsTable(dialect, prefix), ...statements]
    .map((statement) => `${statement.trim()};\n`)
    .join('\n')
}

/** The table of applied migrations. */
export function createMigrationsTable(dialect: Dialect, prefix: string): string {
  const { id, integer, tableSuffix } = columnTypes(dialect)
  return `CREATE TABLE IF NOT EXISTS ${prefix}migrations (
  component ${id()} NOT NULL,
  name ${id()} NOT NULL,
  applied_at ${integer} NOT NULL,
  PRIMARY KEY (component, name)
)${tableSuffix}`
}

/** Notes that a migration was applied; the names have been checked, so they need no parameters. */
export function recordMigration(
  dialect: Dialect,
  prefix: string,
  component: string,
  name: string,
): string {
  const insert = dialect === 'mariadb' ? 'INSERT IGNORE' : 'INSERT'
  const suffix = dialect === 'mariadb' ? '' : ' ON CONFLICT DO NOTHING'
  const values = `'${component}', '${name}', ${NOW[dialect]}`
  return `${insert} INTO ${prefix}migrations (component, name, applied_at) VALUES (${values})${suffix}`
}

/** Accepts the start of table names: a plain lower case name. */
export const tablePrefix: Check<string> = matching(
  /^[a-z_][a-z0-9_]{0,31}$/,
  'must be 1 to 32 lower case letters, digits or "_", not a digit first',
)

/**
 * Checks the start of table names. @throws ConfigurationError if it is not a plain lower case name
 */
export function checkPrefix(prefix: unknown): void {
  parse({ prefix: field(tablePrefix, DEFAULT_PREFIX) }, { prefix })
}

/** @throws ConfigurationError when names are malformed, repeated or not sorted */
export function checkMigrationSet({ component, migrations }: MigrationSet): void {
  let previous = ''
  for (const name of [component, ...migrations.map((migration) => migration.name)]) {
    if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)) {
      throw new ConfigurationError(
        'migrations',
        'must be named with lower case letters, digits, "_" and "-"',
        name,
      )
    }
  }
  for (const { name } of migrations) {
    if (name <= previous)
      throw new ConfigurationError('migrations', 'must be sorted and unique', name)
    previous = name
  }
}
