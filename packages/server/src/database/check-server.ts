import { ConfigurationError } from '../core/errors.ts'
import type { Database } from './types.ts'

/** The first long-term version with `INSERT … RETURNING`, `SKIP LOCKED` and atomic DDL. */
const OLDEST_MARIADB = [10, 6] as const

/**
 * Refuses MySQL, which speaks MariaDB's protocol but not its SQL, and MariaDB before 10.6.
 * `migrate` calls it; call it at start-up where the tables are made by other means.
 *
 * @throws ConfigurationError that names the server's version
 */
export async function checkServer<Tables>(database: Database<Tables>): Promise<void> {
  if (database.dialect !== 'mariadb') return
  const [row] = await database.executor(database.kysely).query('SELECT version() AS version')
  const version = String(row?.['version'])
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)\.\d+-MariaDB/i.exec(version) ?? []).map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_MARIADB
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return
  throw new ConfigurationError(
    'database',
    'must be MariaDB 10.6 or newer; MySQL will not do',
    version,
  )
}
