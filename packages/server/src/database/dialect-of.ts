import { type Kysely, sql } from 'kysely'
import { ConfigurationError } from '../core/errors.ts'
import type { Dialect } from './types.ts'

/**
 * Finds the dialect of a Kysely instance by the SQL that it writes. This also works for third-party
 * dialects and for another copy of Kysely.
 *
 * @throws ConfigurationError for a dialect that is not supported
 */
export function dialectOf<Tables>(kysely: Kysely<Tables>): Dialect {
  const probe = sql`${sql.id('a')}${1}`.compile(kysely.withoutPlugins()).sql
  if (probe === '"a"$1') return 'postgres'
  if (probe === '"a"?') return 'sqlite'
  if (probe === '`a`?') return 'mariadb'
  throw new ConfigurationError(
    'database',
    'must be a Kysely instance for SQLite, PostgreSQL or MariaDB',
  )
}
