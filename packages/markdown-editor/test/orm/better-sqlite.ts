import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'

/** The file of a `sqlite:` URL. */
export const pathOf = (url: string): string => url.slice('sqlite:'.length)

/** A second library on the same SQLite file would damage it, so the editor gets the one that the ORM uses. */
export function betterSqlite(url: string): Kysely<unknown> {
  return new Kysely({ dialect: new SqliteDialect({ database: new BetterSqlite(pathOf(url)) }) })
}
