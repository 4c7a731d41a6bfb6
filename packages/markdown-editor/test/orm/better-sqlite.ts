import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'

/** Returns the file path of a `sqlite:` URL. */
export const pathOf = (url: string): string => url.slice('sqlite:'.length)

/** Opens a database for the editor with the SQLite library of the ORM. Mixed libraries damage it. */
export function betterSqlite(url: string): Kysely<unknown> {
  return new Kysely({ dialect: new SqliteDialect({ database: new BetterSqlite(pathOf(url)) }) })
}
