import { ConfigurationError } from '../core/errors.ts'
import type { Database } from './types.ts'

/**
 * Refuses MySQL, which speaks MariaDB's protocol but not its SQL, and MariaDB before 10.6, the first
 * long-term version with `INSERT … RETURNING`, `SKIP LOCKED` and atomic DDL. `migrate` calls it;
 * call it at start-up where the tables are made by other means.
 *
 * @throws ConfigurationError that names the server's version
 */
export async function checkServer<Tables>(database: Database<Tables>): Promise<void> {
  if (database.dialect !== 'mariadb') return
  const [row] = await database.executor(database.kysely).query('SELECT version() AS version')
  const version = String(row?.['version'])
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)\.\d+-MariaDB/i.exec(version) ?? []).map(Number)
  if (major > 10 || (major === 10 && minor >= 6)) return
  const problem = 'must be MariaDB 10.6 or later; MySQL is not supported'
  throw new ConfigurationError('database', problem, version)
}
