import { boolean, functionOf } from '../../core/checks.ts'
import { createReady } from '../../core/ready.ts'
import { field, type Input, parse } from '../../core/schema.ts'
import { columnTypes } from '../../database/column-types.ts'
import { migrate } from '../../database/migrate.ts'
import { DEFAULT_PREFIX, tablePrefix } from '../../database/migration-sql.ts'
import { openDatabase } from '../../database/open.ts'
import {
  identifier,
  list,
  raw,
  type SqlFragment,
  type SqlStatement,
  sqlFor,
} from '../../database/sql-for.ts'
import type {
  DatabaseSource,
  Dialect,
  MigrationSet,
  Row,
  SqlExecutor,
} from '../../database/types.ts'
import { toNumber } from '../../database/values.ts'
import type { RateStore } from './rate-store.ts'

const OPTIONS = {
  /** The start of the table name. */
  prefix: field(tablePrefix, DEFAULT_PREFIX),
  /** False: the first hit creates no table; apply `rateMigrations` yourself. */
  migrate: field(boolean, true),
  /** Milliseconds since the epoch, for when expired windows are removed. */
  clock: field(functionOf<() => number>(), () => Date.now()),
}

/** How {@link createDatabaseRateStore} works. */
export type DatabaseRateStoreOptions = Input<typeof OPTIONS>

/** A rate store with a database of its own to close. */
export interface DatabaseRateStore extends RateStore {
  /** Ends connections that the store opened. */
  close(): Promise<void>
}

/** The table of {@link createDatabaseRateStore}. It holds hashes and numbers; nothing is lost when it is emptied. */
export const rateMigrations: MigrationSet = {
  component: 'rate-store',
  migrations: [
    {
      name: '0001_rate',
      statements(dialect, prefix) {
        const { id, integer, tableSuffix } = columnTypes(dialect)
        return [
          `CREATE TABLE IF NOT EXISTS ${prefix}rate (
  rate_key ${id(80)} NOT NULL PRIMARY KEY,
  hits ${integer} NOT NULL,
  ends_at ${integer} NOT NULL
)${tableSuffix}`,
          `CREATE INDEX IF NOT EXISTS ${prefix}rate_end ON ${prefix}rate (ends_at)`,
        ]
      },
    },
  ],
}

const HITS_PER_SWEEP = 500
const TIME_PER_SWEEP = 60_000 // Milliseconds: where hits are few, what is over goes all the same.
const SWEPT_AT_ONCE = 1000 // Twice as many as the hits since the last sweep can have added.
/** Milliseconds by which a statement that had to wait for a row may be behind the one that wrote it. */
const SLACK = 60_000

/**
 * A store that all processes with the same database share, for who has no Redis. A hit is one statement; windows are
 * measured with the clock of the database. What is over is removed now and then by a hit.
 *
 * @example
 * const rateLimiter = createRateLimiter({ store: createDatabaseRateStore('postgres://app@localhost/app') })
 */
export function createDatabaseRateStore(
  source: DatabaseSource,
  options: DatabaseRateStoreOptions = {},
): DatabaseRateStore {
  const { prefix, migrate: isMigrating, clock } = parse(OPTIONS, options)
  const database = openDatabase(source, { poolSize: 4 })
  const statements = writeStatements(database.dialect, identifier(`${prefix}rate`))
  // A power failure may forget hits: the limit then begins anew, which costs less than a sync for each.
  const executor = (): SqlExecutor => database.executor(database.kysely, { durable: false })
  const ready = createReady(async () => {
    if (isMigrating) await migrate(database, rateMigrations, { prefix })
  })
  const run = async ({ sql, params }: SqlStatement): Promise<Row[]> => {
    await ready()
    return executor().query(sql, params)
  }
  let hits = 0
  let sweptAt = Number.NEGATIVE_INFINITY // What others left is removed by the first hit.
  const sweep = async (): Promise<void> => {
    const over = (await run(statements.findOver())).map((each) => String(each['rate_key']))
    if (over.length > 0) await run(statements.sweep(over))
  }
  return {
    async hit(key, seconds) {
      const [row] = await run(statements.hit(key, Math.ceil(seconds * 1000)))
      const sinceSweep = Math.abs(clock() - sweptAt) // A clock that was set back sweeps too.
      if (++hits % HITS_PER_SWEEP === 0 || sinceSweep >= TIME_PER_SWEEP) {
        sweptAt = clock()
        await sweep()
      }
      return {
        count: toNumber(row?.['hits']),
        resetAfter: Math.max(0, toNumber(row?.['reset_after'])),
      }
    },
    async takeBack(key) {
      await run(statements.takeBack(key))
    },
    close: () => database.close(),
  }
}

interface RateStatements {
  /** @param length of the window in milliseconds */
  hit(key: string, length: number): SqlStatement
  takeBack(key: string): SqlStatement
  findOver(): SqlStatement
  sweep(keys: readonly string[]): SqlStatement
}

/** Milliseconds since the epoch, the same in all of a statement and in any time zone of the session. */
const NOW: Readonly<Record<Dialect, string>> = {
  sqlite: "CAST(unixepoch('now', 'subsec') * 1000 AS integer)",
  postgres: 'CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS bigint)',
  mariadb: "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)",
}

function writeStatements(dialect: Dialect, table: SqlFragment): RateStatements {
  const sql = sqlFor(dialect)
  const now = raw(NOW[dialect])
  const onConflict = raw(
    dialect === 'mariadb' ? 'ON DUPLICATE KEY UPDATE' : 'ON CONFLICT (rate_key) DO UPDATE SET',
  )
  return {
    // An end too far ahead is of a clock that was set back since: that window would stay shut for as long. MariaDB
    // assigns from left to right, so the end, which both conditions read, comes last.
    hit: (
      key,
      length,
    ) => sql`INSERT INTO ${table} (rate_key, hits, ends_at) VALUES (${key}, 1, ${now} + ${length})
      ${onConflict}
        hits = CASE WHEN ${table}.ends_at <= ${now} OR ${table}.ends_at > ${now} + ${length + SLACK} THEN 1
          ELSE ${table}.hits + 1 END,
        ends_at = CASE WHEN ${table}.ends_at <= ${now} OR ${table}.ends_at > ${now} + ${length + SLACK} THEN ${now} + ${length}
          ELSE ${table}.ends_at END
      RETURNING hits, ends_at - ${now} AS reset_after`,
    takeBack: (key) =>
      sql`UPDATE ${table} SET hits = hits - 1 WHERE rate_key = ${key} AND hits > 0 AND ends_at > ${now}`,
    findOver: () =>
      sql`SELECT rate_key FROM ${table} WHERE ends_at <= ${now} ORDER BY ends_at LIMIT ${SWEPT_AT_ONCE}`,
    sweep: (keys) =>
      sql`DELETE FROM ${table} WHERE ends_at <= ${now} AND rate_key IN (${list(keys)})`,
  }
}
