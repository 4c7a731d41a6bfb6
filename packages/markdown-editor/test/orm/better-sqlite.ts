import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'

export const pathOf = (url: string): string => url.slice('sqlite:'.length)

/** Opens the editor's database with the ORM's SQLite library. Two libraries could damage a file. */
export function betterSqlite(url: string): Kysely<unknown> {
  return new Kysely({ dialect: new SqliteDialect({ database: new BetterSqlite(pathOf(url)) }) })
}
